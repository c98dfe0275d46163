/** Arrays among the arguments of a launch, also inside objects and lists. */

import { NDArray } from '../../array/array.ts';
import type { Stream } from '../../core/stream.ts';
import { asCudaArray } from '../../interchange/cai/import.ts';
import { TypedValue } from '../../jit/typed-value.ts';
import { CAI_SYMBOL } from '../../protocols/cai.ts';
import { MOST_DEPTH, type KernelArgument } from './arguments.ts';

function isForeignArray(value: object): boolean {
  return CAI_SYMBOL in value || '__cuda_array_interface__' in value;
}

/** Returns the values of an object or list of arguments; none for anything else. */
function partsOf(value: unknown): readonly unknown[] {
  if (typeof value !== 'object' || value === null) return [];
  return value instanceof NDArray || value instanceof TypedValue || isForeignArray(value)
    ? []
    : Object.values(value);
}

/** Returns the arrays of this library. */
export function arraysIn(values: readonly unknown[]): NDArray[] {
  return values.flatMap(value => (value instanceof NDArray ? [value as NDArray] : arraysIn(partsOf(value))));
}

/** Returns the stream of the first array; undefined if there is none. */
export function streamOfArrays(values: readonly unknown[], depth = 0): Stream | undefined {
  for (const value of values) {
    if (value instanceof NDArray) return value.stream;
    const found = depth < MOST_DEPTH ? streamOfArrays(partsOf(value), depth + 1) : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Returns true if one of the values is an object with `__cuda_array_interface__`, or has one inside. */
export function haveForeignArrays(values: readonly unknown[], depth = 0): boolean {
  return values.some(value => {
    if (typeof value !== 'object' || value === null || value instanceof NDArray) return false;
    return isForeignArray(value) || (depth < MOST_DEPTH && haveForeignArrays(partsOf(value), depth + 1));
  });
}

/** Returns an argument with imports in place of foreign arrays, and adds these to `imports`. */
export function importForeignArrays(
  value: KernelArgument,
  stream: Stream,
  imports: NDArray[]
): KernelArgument {
  if (!haveForeignArrays([value])) return value;
  if (isForeignArray(value as object)) {
    const imported = asCudaArray(value as object, { stream });
    imports.push(imported);
    return imported;
  }
  return Object.fromEntries(
    Object.entries(value).map(([name, part]) => [
      name,
      importForeignArrays(part as KernelArgument, stream, imports)
    ])
  );
}
