/** Checks whether arrays, or regions of memory, share bytes. */

import { sizeOf } from '../layout/shape.ts';
import { extentOf } from '../layout/strides.ts';
import type { Region } from '../memory/region.ts';
import { equalShapes } from './program/space.ts';

/** Returns true if the spans of bytes of two arrays overlap. */
export function overlaps(a: Region, b: Region): boolean {
  // Blocks of memory managers never overlap; storages over external memory are compared by address.
  const shift = a.storage === b.storage ? 0 : distanceOf(a, b);
  if (shift === null || sizeOf(a.shape) === 0 || sizeOf(b.shape) === 0) return false;
  const [first, second] = [
    extentOf(a.shape, a.strides, a.dtype.itemsize),
    extentOf(b.shape, b.strides, b.dtype.itemsize)
  ];
  const apart = shift + b.offset - a.offset;
  return first.start < second.end + apart && second.start + apart < first.end;
}

/** Returns the bytes from the storage of one array to that of another; null if they cannot overlap. */
function distanceOf({ storage: a }: Region, { storage: b }: Region): number | null {
  return a.managed && b.managed ? null : Number(b.pointer - a.pointer);
}

/** Returns true if writing one array element by element would overwrite elements of the other that are still to be read. */
export function clashes(out: Region, input: Region): boolean {
  if (out === input || !overlaps(out, input)) return false;
  return !sameElements(out, input);
}

/** Returns true if two arrays have equal layouts over the same memory. */
export function sameElements(a: Region, b: Region): boolean {
  return (
    a.storage.pointer + BigInt(a.offset) === b.storage.pointer + BigInt(b.offset) &&
    a.dtype.itemsize === b.dtype.itemsize &&
    equalShapes(a.shape, b.shape) &&
    equalShapes(a.strides, b.strides)
  );
}
