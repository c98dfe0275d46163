/** Groupings of the list, in a separate file because the settings need them without the list. */
export const GROUPINGS = ['storage', 'device', 'dtype', 'stream', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];
