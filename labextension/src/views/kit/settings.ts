/** What people may set of the views. Pages without settings, and pages without JupyterLab, use the defaults. */

/** How values on both sides of zero are coloured. All but the theme's own can be told apart by the colour-blind. */
export const DIVERGING_COLOURS = ['theme', 'blue-orange', 'purple-green', 'contrast'] as const;
/** How amounts are coloured: bytes, and values of which none is below zero. */
export const SEQUENTIAL_COLOURS = ['theme', 'blue', 'navy-yellow', 'contrast'] as const;

export interface ViewSettings {
  readonly divergingColours: (typeof DIVERGING_COLOURS)[number];
  readonly sequentialColours: (typeof SEQUENTIAL_COLOURS)[number];
  /** Bytes of values that a picture may copy to the host by itself. */
  readonly previewBytes: number;
  /** Rows of values that are asked for at once. */
  readonly pageSize: number;
  /** Whether values are read when their tab opens, or only on a click. */
  readonly autoloadValues: boolean;
  /** Operations that a timeline keeps. */
  readonly timelineLength: number;
}

/** The same as in labextension/schema/settings.json. */
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
