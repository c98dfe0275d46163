/** Live pictures that code places beside the notebook. Models request them, and a plugin opens them. */

import type { PartialJSONObject } from '@lumino/coreutils';

/** Matches `Place` in src/notebook/host.ts. */
export type PlaceName = 'right' | 'below' | 'tab' | 'sidebar';

export interface Placement {
  readonly id: string;
  readonly kernelId: string;
  readonly where: PlaceName;
  readonly label: string;
  /** The picture as an output contains it. */
  readonly bundle: PartialJSONObject;
  onEnd(listener: () => void): void;
}

let open: ((placement: Placement) => void) | undefined;

export const placedPictures = {
  /** Does nothing without JupyterLab's shell. */
  place: (placement: Placement): void => open?.(placement),
  openWith(opener: (placement: Placement) => void): void {
    open = opener;
  }
};
