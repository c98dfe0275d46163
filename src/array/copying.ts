/** Copies and fills of strided elements: on the device if possible, otherwise through host memory. */

import { DriverUnavailableError } from '../base/errors.ts';
import { sizeOf } from '../layout/shape.ts';
import { isRowMajor, rowMajorStrides } from '../layout/strides.ts';
import { Storage } from '../memory/storage.ts';
import { copyElements, fillElements } from '../compute/move.ts';
import { overlaps } from '../compute/overlap.ts';
import type { Stream } from '../core/stream.ts';
import type { Region } from '../memory/region.ts';
import { readRegion, writeRegion } from './transfer.ts';

const isDense = ({ shape, strides, dtype }: Region): boolean => isRowMajor(shape, strides, dtype.itemsize);
const bytesOf = ({ shape, dtype }: Region): number => sizeOf(shape) * dtype.itemsize;

/** Passes a temporary row-major region of equal shape and dtype to `use`. */
function withPacked(region: Region, stream: Stream, use: (packed: Region) => void): void {
  const { shape, dtype } = region;
  const storage = Storage.allocate(stream.device, bytesOf(region), 'device', stream);
  try {
    use({ storage, dtype, shape, strides: rowMajorStrides(shape, dtype.itemsize), offset: 0 });
  } finally {
    storage.release();
  }
}

/** Copies elements between regions of equal shape and dtype, on `stream` of the target's device. */
export function copyBetween(target: Region, source: Region, stream: Stream, sourceStream: Stream): void {
  const [to, from] = [target.storage.device, source.storage.device];
  if (to === from) copyOnDevice(target, source, stream);
  else if (to.kind !== from.kind)
    writeRegion(target, new Uint8Array(readRegion(source, sourceStream)), stream);
  else copyFromPeer(target, source, stream, sourceStream);
}

function copyOnDevice(target: Region, source: Region, stream: Stream): void {
  if (isDense(target) && isDense(source)) {
    target.storage.copyFrom(target.offset, source.storage, source.offset, bytesOf(target), stream);
  } else if (overlaps(target, source)) {
    // The write would overwrite source elements that are still to be read.
    withPacked(source, stream, packed => {
      moveElements(packed, source, stream);
      moveElements(target, packed, stream);
    });
  } else {
    moveElements(target, source, stream);
  }
}

/** Copies on the device, or through the host if a GPU has no compiler for its kernels. */
function moveElements(target: Region, source: Region, stream: Stream): void {
  try {
    copyElements(target, source, stream);
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    writeRegion(target, new Uint8Array(readRegion(source, stream)), stream);
  }
}

/** Copies between devices of one driver: strided elements are packed on their device, and contiguous bytes are transferred. */
function copyFromPeer(target: Region, source: Region, stream: Stream, sourceStream: Stream): void {
  if (!isDense(source)) {
    withPacked(source, sourceStream, packed => {
      moveElements(packed, source, sourceStream);
      copyFromPeer(target, packed, stream, sourceStream);
    });
  } else if (!isDense(target)) {
    withPacked(target, stream, packed => {
      copyFromPeer(packed, source, stream, sourceStream);
      moveElements(target, packed, stream);
    });
  } else {
    target.storage.copyFrom(target.offset, source.storage, source.offset, bytesOf(target), stream);
  }
}

/** Typed arrays of the words that a driver can fill memory with, by their size in bytes. */
const FILL_WORDS = [undefined, Uint8Array, Uint16Array, undefined, Uint32Array] as const;

/** Writes one element, given as bytes, to every place of a region. A driver fills memory only where elements are `aligned` words. */
export function fillRegion(region: Region, bytes: ArrayBuffer, aligned: boolean, stream: Stream): void {
  const { storage, offset, shape } = region;
  const itemsize = bytes.byteLength as 1 | 2 | 4;
  const Words = FILL_WORDS[itemsize];
  if (Words !== undefined && isDense(region) && aligned && offset % itemsize === 0)
    return storage.fill(offset, itemsize, new Words(bytes)[0]!, sizeOf(shape), stream);
  const element = new Uint8Array(bytes);
  try {
    fillElements(region, element, stream);
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    const all = new Uint8Array(bytesOf(region));
    for (let at = 0; at < all.length; at += element.length) all.set(element, at);
    writeRegion(region, all, stream);
  }
}
