/** What is left to do once a tensor came in: what `device` and `copy` asked for and its producer did not do. Rules 144, 147, 150. */

import type { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import { CopyRequiredError } from '../../base/errors.ts';
import { Stream } from '../../core/stream.ts';
import { copyTo } from './copy.ts';
import { dlpackDevice, formatDlpackDevice, type DLDevice } from '../../protocols/dlpack-device.ts';

/** A new array, and whether its memory was copied for it. */
export interface Imported {
  readonly array: NDArray;
  readonly copied: boolean;
}

/** @throws CopyRequiredError */
export function refuseCopy(from: DLDevice, wanted: Device | undefined): never {
  throw new CopyRequiredError(
    `copy: false, but only a copy gets from ${formatDlpackDevice(from)} to ${wanted?.toString() ?? 'memory of this process'} (rule 144)`
  );
}

/** Moves the array to the wanted device, or copies it where its producer did not but should have (rules 147, 150). */
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
