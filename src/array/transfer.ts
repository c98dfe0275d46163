/** Moves strided bytes between a storage and the host: one copy where the bytes lie together, several where they are sparse. */

import { copyStrided } from '../layout/copy.ts';
import { sizeOf, type Shape } from '../layout/shape.ts';
import { extentOf, isRowMajor, rowMajorStrides, type Strides } from '../layout/strides.ts';
import type { Region } from '../memory/region.ts';
import type { Stream } from '../core/stream.ts';

/** A span is copied whole while it is at most this many times the bytes that are wanted, or this many bytes. */
const MAX_WASTE = 4;
const SMALL_SPAN = 64 * 1024;

/** Part of a region whose bytes lie near each other: one copy of the span from `start`, then its elements move on the host. */
interface Piece {
  readonly shape: Shape;
  /** First byte of the span in the storage, its length, and the first logical element inside it. */
  readonly start: number;
  readonly length: number;
  readonly first: number;
  /** Byte of the piece's first element in the row-major copy. */
  readonly target: number;
}

/** Halves a region along its widest axis until no piece spans much more than it holds, or more than `small`. */
function piecesOf(region: Region, targetStrides: Strides, small = SMALL_SPAN): Piece[] {
  const { itemsize } = region.dtype;
  const pieces: Piece[] = [];
  const split = (shape: Shape, offset: number, target: number): void => {
    const { start, end } = extentOf(shape, region.strides, itemsize);
    const length = end - start;
    if (length <= Math.max(small, sizeOf(shape) * itemsize * MAX_WASTE)) {
      pieces.push({ shape, start: offset + start, length, first: -start, target });
      return;
    }
    const reach = shape.map((dimension, axis) => (dimension - 1) * Math.abs(region.strides[axis] as number));
    const axis = reach.indexOf(Math.max(...reach));
    const dimension = shape[axis] as number;
    const half = dimension >> 1;
    split(shape.with(axis, half), offset, target);
    split(
      shape.with(axis, dimension - half),
      offset + half * (region.strides[axis] as number),
      target + half * (targetStrides[axis] as number)
    );
  };
  split(region.shape, region.offset, 0);
  return pieces;
}

/** Most times as many bytes as it wants that a sparing read copies. */
export const SPARING_WASTE = MAX_WASTE;

/**
 * For a look at part of an array: the row-major bytes of a region and how many were copied for them, at most `SPARING_WASTE` times as
 * many. Blocks until they are there.
 */
export function readSparingly(
  region: Region,
  stream: Stream
): { readonly bytes: ArrayBuffer; readonly copied: number } {
  const { storage, dtype, shape, strides } = region;
  const result = new Uint8Array(sizeOf(shape) * dtype.itemsize);
  const compact = rowMajorStrides(shape, dtype.itemsize);
  let copied = 0;
  for (const piece of result.byteLength === 0 ? [] : piecesOf(region, compact, 0)) {
    const span = new Uint8Array(piece.length);
    storage.readToHost(piece.start, span, stream);
    copied += piece.length;
    const target = { bytes: result, first: piece.target, strides: compact };
    copyStrided(piece.shape, dtype.itemsize, { bytes: span, first: piece.first, strides }, target);
  }
  return { bytes: result.buffer, copied };
}

/** Row-major bytes of a region; blocks until they are there. */
export function readRegion(region: Region, stream: Stream): ArrayBuffer {
  const { storage, dtype, shape, strides } = region;
  const result = new Uint8Array(sizeOf(shape) * dtype.itemsize);
  if (result.byteLength === 0) return result.buffer;
  if (isRowMajor(shape, strides, dtype.itemsize)) {
    storage.readToHost(region.offset, result, stream);
    return result.buffer;
  }
  const compact = rowMajorStrides(shape, dtype.itemsize);
  for (const piece of piecesOf(region, compact)) {
    const span = new Uint8Array(piece.length);
    storage.readToHost(piece.start, span, stream);
    const source = { bytes: span, first: piece.first, strides };
    copyStrided(piece.shape, dtype.itemsize, source, {
      bytes: result,
      first: piece.target,
      strides: compact
    });
  }
  return result.buffer;
}

/** Reads a region to the host without blocking JavaScript. */
export async function readRegionAsync(region: Region, stream: Stream): Promise<ArrayBuffer> {
  const { storage, dtype, shape, strides } = region;
  const result = new Uint8Array(sizeOf(shape) * dtype.itemsize);
  if (result.byteLength === 0) return result.buffer;
  if (isRowMajor(shape, strides, dtype.itemsize)) {
    await storage.readToHostAsync(region.offset, result, stream);
    return result.buffer;
  }
  const compact = rowMajorStrides(shape, dtype.itemsize);
  // All are begun before the first is awaited, so that they see one state of the memory, which may be disposed meanwhile.
  const reads = piecesOf(region, compact).map(piece => {
    const span = new Uint8Array(piece.length);
    return { piece, span, done: storage.readToHostAsync(piece.start, span, stream) };
  });
  await Promise.all(reads.map(({ done }) => done));
  for (const { piece, span } of reads) {
    const source = { bytes: span, first: piece.first, strides };
    const target = { bytes: result, first: piece.target, strides: compact };
    copyStrided(piece.shape, dtype.itemsize, source, target);
  }
  return result.buffer;
}

/**
 * Writes row-major bytes to a region. A strided region is read, filled in and written back on the same stream, so bytes
 * between its elements keep their values; that read blocks the host.
 */
export function writeRegion(region: Region, bytes: Uint8Array, stream: Stream): void {
  const { storage, dtype, shape, strides } = region;
  if (bytes.byteLength === 0) return;
  if (isRowMajor(shape, strides, dtype.itemsize)) {
    storage.writeFromHost(region.offset, bytes, stream);
    return;
  }
  const compact = rowMajorStrides(shape, dtype.itemsize);
  for (const piece of piecesOf(region, compact)) {
    const span = new Uint8Array(piece.length);
    storage.readToHost(piece.start, span, stream);
    const target = { bytes: span, first: piece.first, strides };
    copyStrided(piece.shape, dtype.itemsize, { bytes, first: piece.target, strides: compact }, target);
    storage.writeFromHost(piece.start, span, stream);
  }
}
