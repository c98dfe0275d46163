/** Checks alignment: generated kernels load whole elements; a misaligned load faults and makes the device unusable (rule 64). */

import { ArgumentError } from '../../base/errors.ts';
import { dtypes } from '../../dtype/dtype.ts';
import type { ElementTypeName } from '../program/element-types.ts';
import type { Elements } from '../program/runs.ts';

/** Requires natural alignment. @throws ArgumentError with the fix */
export function requireAligned(elements: Elements, type: ElementTypeName): void {
  requireMultiples(elements, dtypes[type].alignment, type);
}

/** Requires addresses that are multiples of `alignment` bytes. @throws ArgumentError with the fix */
export function requireMultiples(
  { storage, offset, strides }: Elements,
  alignment: number,
  name: string
): void {
  if (alignment === 1) return;
  const first = Number(BigInt.asUintN(8, storage.pointer)) + offset;
  if (first % alignment === 0 && isEachMultiple(strides, alignment)) return;
  throw new ArgumentError(
    `the addresses of ${name} elements are not multiples of ${alignment} bytes, which GPUs require: pass array.copy() (rule 64: alignment)`
  );
}

function isEachMultiple(strides: readonly number[], alignment: number): boolean {
  for (let axis = 0; axis < strides.length; axis++) if (strides[axis]! % alignment !== 0) return false;
  return true;
}
