/** Copies for the exchange: contiguous, in memory of the asked device and kind. */

import { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import { rowMajorStrides } from '../../layout/strides.ts';
import { Storage, type MemoryKind } from '../../memory/storage.ts';
import type { Stream } from '../../core/stream.ts';

/** A copy made on `stream`, which is of `device`. @throws OutOfMemoryError */
export function copyTo(array: NDArray, device: Device, kind: MemoryKind, stream: Stream): NDArray {
  const { shape, dtype } = array;
  const storage = Storage.allocate(device, array.nbytes, kind, stream);
  const strides = rowMajorStrides(shape, dtype.itemsize);
  const copy = new NDArray(storage, dtype, { shape, strides, offset: 0 }, stream);
  try {
    return copy.copyFrom(array, { stream });
  } catch (error) {
    copy.dispose();
    throw error;
  }
}
