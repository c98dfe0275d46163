/** What every part of the inspector is: an element that can show a newer description. */

import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';

export interface Panel {
  readonly element: HTMLElement;
  /** Shows a description by patching what is there. `connected`: a kernel stands behind it. */
  update(array: ArrayDescription, connected: boolean): void;
}
