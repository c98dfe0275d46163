/** The interface of an inspector part: an element that can show a newer description. */

import type { ArrayDescription } from '../../../../../src/pictures/array/schema.ts';
import type { Part } from '../../kit/dom.ts';

/** Shows a description by patching the elements. `connected`: a kernel is attached. */
export type Panel = Part<[array: ArrayDescription, connected: boolean]>;
