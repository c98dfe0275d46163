/** Objects of another language, such as Python's, which know better than we how they become arrays. */

import type { NDArray } from '../array.ts';
import type { ImportOptions } from './cai/import.ts';
import type { FromDlpackOptions } from './dlpack/import.ts';

/** The member that makes an array of such an object by one protocol. `asCudaArray` and `fromDlpack` look for it first. */
export const TAKE_ARRAY = Symbol('stridelab.take-array');

export interface ForeignObject {
  readonly [TAKE_ARRAY]: {
    (via: 'cuda-array-interface', options: ImportOptions): NDArray;
    (via: 'dlpack', options: FromDlpackOptions): NDArray;
  };
}

export function isForeignObject(value: unknown): value is ForeignObject {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as Partial<ForeignObject>)[TAKE_ARRAY] === 'function';
}
