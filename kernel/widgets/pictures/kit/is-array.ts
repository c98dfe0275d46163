/** Recognizes arrays among a notebook's values without running any of its code. */

import { types } from 'node:util';
import { NDArray } from '../../../../src/array/array.ts';

/** Returns whether a value is an array. `instanceof` would call traps of proxies, also among prototypes, which may throw. */
export function isNDArray(value: unknown): value is NDArray {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false;
  let prototype: object | null = Object.getPrototypeOf(value) as object | null;
  while (prototype !== null && prototype !== Object.prototype) {
    if (prototype === NDArray.prototype) return true;
    if (types.isProxy(prototype)) return false;
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return false;
}
