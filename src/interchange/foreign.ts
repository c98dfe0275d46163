/** Objects of another language, such as Python, which implement their own conversion to arrays. */

import type { NDArray } from '../array/array.ts';

/** The member that converts such an object to an array with one protocol. `asCudaArray` and `fromDlpack` check it first. */
export const TAKE_ARRAY = Symbol('stridelab.take-array');

export interface ForeignObject {
  /** `options` are those passed to the library function; `tensor` is DLPack by any of its routes. */
  readonly [TAKE_ARRAY]: (via: 'cuda-array-interface' | 'tensor', options: object) => NDArray;
}

export function isForeignObject(value: unknown): value is ForeignObject {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as Partial<ForeignObject>)[TAKE_ARRAY] === 'function';
}
