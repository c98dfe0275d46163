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

/** Allocates a row-major region of equal shape and dtype. */
function packedLike(region: Region, stream: Stream): Region {
  const { shape, dtype } = region;
  const storage = Storage.allocate(stream.device, bytesOf(region), 'device', stream);
  return { storage, dtype, shape, strides: rowMajorStrides(shape, dtype.itemsize), offset: 0 };
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
    const packed = packedLike(source, stream);
    try {
      moveElements(packed, source, stream);
      moveElements(target, packed, stream);
    } finally {
      packed.storage.release();
    }
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

/** Copies between devices of one driver: strided elements are packed on their own device, and contiguous bytes cross. */
function copyFromPeer(target: Region, source: Region, stream: Stream, sourceStream: Stream): void {
  if (!isDense(source)) {
    const packed = packedLike(source, sourceStream);
    try {
      moveElements(packed, source, sourceStream);
      copyFromPeer(target, packed, stream, sourceStream);
    } finally {
      packed.storage.release();
    }
  } else if (!isDense(target)) {
    const packed = packedLike(target, stream);
    try {
      copyFromPeer(packed, source, stream, sourceStream);
      moveElements(target, packed, stream);
    } finally {
      packed.storage.release();
    }
  } else {
    target.storage.copyFrom(target.offset, source.storage, source.offset, bytesOf(target), stream);
  }
}

/** Writes one element, given as bytes, to every place of a region. */
export function fillRegion(region: Region, element: Uint8Array, stream: Stream): void {
  try {
    fillElements(region, element, stream);
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    const bytes = new Uint8Array(bytesOf(region));
    for (let at = 0; at < bytes.length; at += element.length) bytes.set(element, at);
    writeRegion(region, bytes, stream);
  }
}
