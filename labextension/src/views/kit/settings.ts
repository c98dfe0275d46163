/** User settings of the views. Pages without settings, or without JupyterLab, use the defaults. */

/** Colours of values on both sides of zero. All but the theme colours are colour-blind safe. */
export const DIVERGING_COLOURS = ['theme', 'blue-orange', 'purple-green', 'contrast'] as const;
/** Colours of amounts: bytes, and non-negative values. */
export const SEQUENTIAL_COLOURS = ['theme', 'blue', 'navy-yellow', 'contrast'] as const;

export interface ViewSettings {
  readonly divergingColours: (typeof DIVERGING_COLOURS)[number];
  readonly sequentialColours: (typeof SEQUENTIAL_COLOURS)[number];
  /** Maximum bytes of values that a picture may copy to the host automatically. */
  readonly previewBytes: number;
  readonly pageSize: number;
  /** Whether values are read when their tab opens, not only on a click. */
  readonly autoloadValues: boolean;
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

export function viewSettings(): ViewSettings {
  return inUse;
}

/** Sets the user's settings; called again when they change. */
export function useViewSettings(settings: ViewSettings): void {
  inUse = settings;
  // Style sheets follow, and with them every open view.
  const { dataset } = document.documentElement;
  dataset['stridelabDiverging'] = settings.divergingColours;
  dataset['stridelabSequential'] = settings.sequentialColours;
}
