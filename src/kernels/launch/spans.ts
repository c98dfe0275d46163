/** The bytes that the arrays of a launch span: what a copy of their memory needs. */

import type { NDArray } from '../../array/array.ts';
import { extentOf } from '../../layout/strides.ts';
import type { Storage } from '../../memory/storage.ts';

/** A range of bytes of a storage. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Spans start at multiples of a cache line, so that elements keep their places in lines and their alignment. */
const ALIGNMENT = 128;

/** Returns the bytes from an array's first to behind its last one, as offsets in its storage. */
export function spanOf({ shape, strides, dtype, offset }: NDArray): Span {
  const { start, end } = extentOf(shape, strides, dtype.itemsize);
  return { start: offset + start, end: offset + end };
}

/** Returns for each storage of some arrays the bytes that they span together. */
export function spansOf(arrays: Iterable<NDArray>): Map<Storage, Span> {
  const spans = new Map<Storage, Span>();
  for (const array of arrays) {
    const own = spanOf(array);
    const start = Math.floor(own.start / ALIGNMENT) * ALIGNMENT;
    const known = spans.get(array.storage) ?? { start, end: own.end };
    spans.set(array.storage, { start: Math.min(known.start, start), end: Math.max(known.end, own.end) });
  }
  return spans;
}
