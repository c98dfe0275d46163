/** What people may set of the views. Pages without settings, and pages without JupyterLab, use the defaults. */

export interface ViewSettings {
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
  timelineLength: 262_144
};

let inUse = DEFAULT_VIEW_SETTINGS;

/** As they are now: views ask when they need one. */
export function viewSettings(): ViewSettings {
  return inUse;
}

/** Called with what the person has set, and again when it changes. */
export function useViewSettings(settings: ViewSettings): void {
  inUse = settings;
}
