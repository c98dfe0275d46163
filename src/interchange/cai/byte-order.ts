/** Converts imported data to the device's byte order (rule 42). */

import { NDArray } from '../../array/array.ts';
import type { Swap } from '../../dtype/typestr.ts';

/** Reverses runs of bytes in each element, in place. Pure. */
export function swapBytes(bytes: Uint8Array, itemsize: number, swaps: readonly Swap[]): void {
  for (let element = 0; element < bytes.length; element += itemsize) {
    for (const { offset, bytes: length, width } of swaps) {
      for (let at = 0; at < length; at += width)
        bytes.subarray(element + offset + at, element + offset + at + width).reverse();
    }
  }
}

/** Makes a contiguous copy in native byte order, through the host; disposes the original. */
export function swapped(array: NDArray, swaps: readonly Swap[]): NDArray {
  try {
    const { shape, dtype, stream, mask } = array;
    const host = array.toTypedArray();
    const bytes = new Uint8Array(host.buffer, host.byteOffset, host.byteLength);
    swapBytes(bytes, dtype.itemsize, swaps);
    const copy = NDArray.allocate(shape, dtype, stream, mask?.onStream(stream) ?? null);
    if (bytes.length > 0) copy.storage.writeFromHost(0, bytes, stream);
    return copy;
  } finally {
    array.dispose();
  }
}
