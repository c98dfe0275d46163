/** What people may set of the views. Pages without settings, and pages without JupyterLab, use the defaults. */

/** How values on both sides of zero are coloured. All but the theme colours are colour-blind safe. */
export const DIVERGING_COLOURS = ['theme', 'blue-orange', 'purple-green', 'contrast'] as const;
/** How amounts are coloured: bytes, and non-negative values. */
export const SEQUENTIAL_COLOURS = ['theme', 'blue', 'navy-yellow', 'contrast'] as const;

export interface ViewSettings {
  readonly divergingColours: (typeof DIVERGING_COLOURS)[number];
  readonly sequentialColours: (typeof SEQUENTIAL_COLOURS)[number];
  /** Bytes of values that a picture may copy to the host by itself. */
  readonly previewBytes: number;
  /** Rows of values per request. */
  readonly pageSize: number;
  /** Read values when their tab opens, not only on a click. */
  readonly autoloadValues: boolean;
  /** Operations that a timeline keeps. */
  readonly timelineLength: number;
}

/** Equal to the defaults in labextension/schema/settings.json. */
export const DEFAULT_VIEW_SETTINGS: ViewSettings = {
  previewBytes: 65_536,
  pageSize: 16,
  autoloadValues: true,
  timelineLength: 262_144,
  divergingColours: 'theme',
  sequentialColours: 'theme'
};

let inUse = DEFAULT_VIEW_SETTINGS;

/** As they are now: views ask when they need one. */
export function viewSettings(): ViewSettings {
  return inUse;
}

/** Called with what the person has set, and again when it changes. */
export function useViewSettings(settings: ViewSettings): void {
  inUse = settings;
  // Style sheets follow, and with them every view that is open.
  const { dataset } = document.documentElement;
  dataset['stridelabDiverging'] = settings.divergingColours;
  dataset['stridelabSequential'] = settings.sequentialColours;
}
