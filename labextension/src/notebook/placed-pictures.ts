/** Views of live pictures that code places beside the notebook. Models ask for them, and a plugin opens them. */

import type { PartialJSONObject } from '@lumino/coreutils';

/** As `Place` of src/pictures/inspection.ts. */
export type PlaceName = 'right' | 'below' | 'tab' | 'sidebar';

export interface Placement {
  /** The model's id. */
  readonly id: string;
  /** The kernel of the notebook that it is placed beside. */
  readonly kernelId: string;
  readonly where: PlaceName;
  readonly label: string;
  /** The picture as an output holds it. */
  readonly bundle: PartialJSONObject;
  /** Calls `listener` when the picture is closed. */
  onEnd(listener: () => void): void;
}

let open: ((placement: Placement) => void) | undefined;

export const placedPictures = {
  /** A page without JupyterLab's shell has no place for it. */
  place: (placement: Placement): void => open?.(placement),
  openWith(opener: (placement: Placement) => void): void {
    open = opener;
  }
};
