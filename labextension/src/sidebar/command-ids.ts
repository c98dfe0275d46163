/** Command ids, also used by menus and shortcuts in labextension/schema/settings.json. */
export const CommandIDs = {
  show: 'stridelab:show-arrays',
  inspect: 'stridelab:inspect-array',
  insert: 'stridelab:insert-inspect',
  synchronize: 'stridelab:synchronize',
  copyName: 'stridelab:copy-array-name',
  free: 'stridelab:free-array',
  freeAll: 'stridelab:free-all-arrays',
  refresh: 'stridelab:refresh-arrays'
} as const;
