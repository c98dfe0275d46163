/** A window of the memory that an array lies in: its bytes, and which of the array's elements they belong to. */

import type { NDArray } from '../array.ts';
import { readScalar } from '../dtype/elements.ts';
import { hostArrayOver } from '../dtype/host-array.ts';
import { elementsInWindow } from '../layout/window.ts';
import { streamToLook } from './streams.ts';
import { elementText, LOOK_BYTES } from './values-page.ts';

/** Elements told of one window; where many share bytes, the rest is left out. */
const MOST_ELEMENTS = 1024;

export interface BytesPage {
  /** Offset of the first byte in the storage, which has `storageBytes` bytes from `address` on (hexadecimal). */
  readonly start: number;
  readonly storageBytes: number;
  readonly address: string;
  /** Offset of the array's first element, and what the array spans. */
  readonly first: number;
  /** Offset, index and value of the elements that have a byte here, by offset. */
  readonly elements: readonly (readonly [offset: number, index: readonly number[], text: string])[];
  readonly copiedBytes: number;
  readonly stream: string;
}

/**
 * `length` bytes from `start` on. Elements on the edges are read whole. Blocks until pending work is done.
 * @throws RangeError with a sentence for an array without memory, FreedError
 */
export function readWindow(
  array: NDArray,
  wantedStart: number,
  wantedLength: number
): { readonly page: BytesPage; readonly bytes: Uint8Array } {
  const { storage, dtype, shape, strides, offset: first } = array;
  const { itemsize } = dtype;
  if (storage.bytes === 0) throw new RangeError('The array has no memory: there are no bytes to show.');
  const start = Math.min(Math.max(Math.trunc(wantedStart) || 0, 0), storage.bytes - 1);
  const most = Math.min(Math.max(Math.trunc(wantedLength) || 0, 1), LOOK_BYTES / 2);
  const end = Math.min(start + most, storage.bytes);
  // An element may begin before the window and end behind it; a very long one is not worth its bytes.
  const margin = itemsize <= LOOK_BYTES / 4 ? itemsize - 1 : 0;
  const from = Math.max(0, start - margin);
  const read = new Uint8Array(Math.min(storage.bytes, end + margin) - from);
  const stream = streamToLook(array);
  storage.readToHost(from, read, stream, true);
  const valueAt = (offset: number): string => {
    const at = offset - from;
    if (at < 0 || at + itemsize > read.length) return '…';
    const host = hostArrayOver(dtype, read.slice(at, at + itemsize).buffer);
    return elementText(readScalar(host, dtype, 0));
  };
  const elements = elementsInWindow({ shape, strides, itemsize, first }, start, end, MOST_ELEMENTS);
  const page: BytesPage = {
    start,
    storageBytes: storage.bytes,
    address: `0x${storage.pointer.toString(16)}`,
    first,
    elements: elements.map(({ offset, index }) => [offset, index, valueAt(offset)]),
    copiedBytes: read.length,
    stream: stream.toString()
  };
  return { page, bytes: read.slice(start - from, end - from) };
}
