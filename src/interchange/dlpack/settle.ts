/** Makes the copies of an exchange, including those that `device` and `copy` require but a producer did not make. Rules 144, 147, 150. */

import { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import { CopyRequiredError } from '../../base/errors.ts';
import { Stream } from '../../core/stream.ts';
import { rowMajorStrides } from '../../layout/strides.ts';
import { Storage, type MemoryKind } from '../../memory/storage.ts';
import { dlpackDevice, formatDlpackDevice, type DLDevice } from '../../protocols/dlpack-device.ts';

/** An imported array, and whether its memory is a copy. */
export interface Imported {
  readonly array: NDArray;
  readonly copied: boolean;
}

/** Throws the error of a refused copy. @throws CopyRequiredError */
export function refuseCopy(from: DLDevice, wanted: Device | undefined): never {
  throw new CopyRequiredError(
    `copy: false, but ${formatDlpackDevice(from)} to ${wanted?.toString() ?? 'memory of this process'} requires a copy (rule 144: requests)`
  );
}

/** Moves the array to the requested device, or copies it if its producer should have but did not (rules 147, 150). */
export function settle(
  { array, copied }: Imported,
  wanted: Device | undefined,
  stream: Stream | undefined,
  copy: boolean | null | undefined
): NDArray {
  const device = wanted ?? stream?.device ?? array.device;
  const moves = device !== array.device;
  if (!moves && (copy !== true || copied)) return array;
  try {
    if (copy === false) refuseCopy(dlpackDevice(array.storage), device);
    return copyTo(
      array,
      device,
      'device',
      stream?.device === device ? stream : moves ? Stream.legacyDefault(device) : array.stream
    );
  } finally {
    array.dispose();
  }
}

/** Makes a contiguous copy in memory of `device`, on a stream of that device. @throws OutOfMemoryError */
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
