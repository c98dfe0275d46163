/** Generated kernels load whole elements, which faults, and loses the device, where they do not lie at their natural alignment (rule 64). */

import { dtypes } from '../../dtype/dtype.ts';
import { ArgumentError } from '../../base/errors.ts';
import type { Strides } from '../../layout/strides.ts';
import type { Storage } from '../../memory/storage.ts';
import type { ElementTypeName } from '../program/element-types.ts';

/** @throws ArgumentError with the fix */
export function requireAligned(
  {
    storage,
    offset,
    strides
  }: { readonly storage: Storage; readonly offset: number; readonly strides: Strides },
  type: ElementTypeName
): void {
  const { alignment } = dtypes[type];
  if (alignment === 1) return;
  const first = Number(storage.pointer % BigInt(alignment)) + offset;
  if (first % alignment === 0 && strides.every(stride => stride % alignment === 0)) return;
  throw new ArgumentError(
    `elements of ${type} at addresses that are no multiple of ${alignment} bytes: a GPU cannot load them; pass array.copy() (rule 64)`
  );
}
