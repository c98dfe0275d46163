/** By what the list may be grouped. Apart from what groups it, for settings name it too. */
export const GROUPINGS = ['storage', 'device', 'dtype', 'stream', 'none'] as const;
export type Grouping = (typeof GROUPINGS)[number];
