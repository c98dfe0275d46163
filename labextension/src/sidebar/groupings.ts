/** Groupings of the list. A file of its own, since the settings use it without the list. */
export const GROUPINGS = ['storage', 'device', 'dtype', 'stream', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];
