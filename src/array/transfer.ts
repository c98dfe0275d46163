/** Copies strided elements between a storage and the host: one copy for dense bytes, several for sparse ones. */

import { copyStrided } from '../layout/copy.ts';
import { sizeOf, type Shape } from '../layout/shape.ts';
import { extentOf, isRowMajor, rowMajorStrides } from '../layout/strides.ts';
import type { Region } from '../memory/region.ts';
import type { Stream } from '../core/stream.ts';

/** A span is copied in one piece if it is at most this many times as large as the wanted bytes, or at most this many bytes. */
const MAX_WASTE = 4;
const SMALL_SPAN = 64 * 1024;

/** A range of bytes of a storage that is copied in one piece, with some elements of a region. */
interface Span {
  readonly start: number;
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Copies the elements from these bytes to the row-major array. */
  readonly unpack: () => void;
  /** Copies the elements from the row-major array to these bytes. */
  readonly pack: () => void;
}

/** Visits spans of a region, whose elements `rowMajor` holds or receives. Each is mostly wanted bytes, or at most `small` bytes. */
function forEachSpan(
  { shape, strides, offset, dtype: { itemsize } }: Region,
  rowMajor: Uint8Array<ArrayBuffer>,
  visit: (span: Span) => void,
  small = SMALL_SPAN
): void {
  if (rowMajor.byteLength === 0) return;
  if (isRowMajor(shape, strides, itemsize)) {
    const nothing = (): void => undefined;
    visit({ start: offset, bytes: rowMajor, unpack: nothing, pack: nothing });
    return;
  }
  const compact = rowMajorStrides(shape, itemsize);
  const split = (part: Shape, first: number, target: number): void => {
    const { start, end } = extentOf(part, strides, itemsize);
    const length = end - start;
    if (length <= Math.max(small, sizeOf(part) * itemsize * MAX_WASTE)) {
      const bytes = new Uint8Array(length);
      const own = { bytes, first: -start, strides };
      const others = { bytes: rowMajor, first: target, strides: compact };
      visit({
        start: first + start,
        bytes,
        unpack: () => copyStrided(part, itemsize, own, others),
        pack: () => copyStrided(part, itemsize, others, own)
      });
      return;
    }
    const reach = part.map((dimension, axis) => (dimension - 1) * Math.abs(strides[axis]!));
    const axis = reach.indexOf(Math.max(...reach));
    const dimension = part[axis]!;
    const half = dimension >> 1;
    const [step, compactStep] = [strides[axis]!, compact[axis]!];
    split(part.with(axis, half), first, target);
    split(part.with(axis, dimension - half), first + half * step, target + half * compactStep);
  };
  split(shape, offset, 0);
}

const roomFor = ({ shape, dtype }: Region): Uint8Array<ArrayBuffer> =>
  new Uint8Array(sizeOf(shape) * dtype.itemsize);

/** Upper bound on the bytes that `readSparingly` copies, as a multiple of the bytes wanted. */
export const SPARING_WASTE = MAX_WASTE;

/** Reads row-major bytes of a region for a picture, and counts the bytes copied: at most `SPARING_WASTE` times as many. Blocks. */
export function readSparingly(
  region: Region,
  stream: Stream,
  small = 0
): { readonly bytes: ArrayBuffer; readonly copied: number } {
  const result = roomFor(region);
  let copied = 0;
  const read = ({ start, bytes, unpack }: Span): void => {
    region.storage.readToHost(start, bytes, stream);
    copied += bytes.byteLength;
    unpack();
  };
  forEachSpan(region, result, read, small);
  return { bytes: result.buffer, copied };
}

/** Reads the row-major bytes of a region. Blocks until the copy is done. */
export function readRegion(region: Region, stream: Stream): ArrayBuffer {
  return readSparingly(region, stream, SMALL_SPAN).bytes;
}

export async function readRegionAsync(region: Region, stream: Stream): Promise<ArrayBuffer> {
  const result = roomFor(region);
  // All copies start before the first is awaited, so that they see one state of the memory, which may be disposed before they finish.
  const spans: Span[] = [];
  forEachSpan(region, result, span => spans.push(span));
  await Promise.all(spans.map(({ start, bytes }) => region.storage.readToHostAsync(start, bytes, stream)));
  for (const { unpack } of spans) unpack();
  return result.buffer;
}

/** Writes row-major bytes to a region. A strided one is read first, which blocks, so that bytes between its elements keep their values. */
export function writeRegion(region: Region, rowMajor: Uint8Array<ArrayBuffer>, stream: Stream): void {
  forEachSpan(region, rowMajor, ({ start, bytes, pack }) => {
    if (bytes !== rowMajor) region.storage.readToHost(start, bytes, stream);
    pack();
    region.storage.writeFromHost(start, bytes, stream);
  });
}
