/** What every part of the inspector is: an element that can show a newer description. */

import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';
import type { Part } from '../../kit/dom.ts';

/** Shows a description by patching what is there. `connected`: a kernel stands behind it. */
export type Panel = Part<[array: ArrayDescription, connected: boolean]>;
