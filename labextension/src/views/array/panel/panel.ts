/** A part of the inspector: shows an array's description by patching its elements. */

import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';
import type { Part } from '../../kit/dom.ts';

export type Panel = Part<[array: ArrayDescription]>;

/** A panel that queries the kernel once its tab is opened. */
export interface LookPanel extends Panel {
  opened(): void;
}
