/** Names of the pictures' tabs, shared by code and page. Pure. */

export const ARRAY_TABS = [
  'descriptor',
  'layout',
  'dlpack',
  'streams',
  'values',
  'histogram',
  'bytes'
] as const;
export const TRACE_TABS = ['timeline', 'summary', 'list'] as const;
export const EXCHANGES_TABS = ['chart', 'steps', 'stream', 'skip'] as const;
