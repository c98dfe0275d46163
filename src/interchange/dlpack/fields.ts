/** Layout of the array in which native code and TypeScript exchange a tensor's description; the build writes FIELD into a C++ header. */

import type { DLDataType } from '../../dtype/dtype.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';
import type { DLDevice } from '../../protocols/dlpack-device.ts';
import type { DLPackVersion } from '../../protocols/dlpack.ts';

/**
 * Indices of the numbers, then of the lengths and strides of up to 64 axes. Words hold 64 bits, which a double would round: for memory
 * of Python its first byte, the stream with the producer's work, and the stream of the producer's later work; 0 for none. `major` is
 * that of a tensor's struct, or the version of an array interface.
 */
export const FIELD = {
  versioned: 0,
  major: 1,
  minor: 2,
  flags: 3,
  deviceType: 4,
  deviceId: 5,
  code: 6,
  bits: 7,
  lanes: 8,
  ndim: 9,
  offset: 10,
  extentStart: 11,
  extentEnd: 12,
  addressWord: 13,
  streamWord: 14,
  producerWord: 15,
  shape: 16,
  strides: 80
} as const;

/** Bits of `flags`, by their names in dlpack.h. */
export const FLAG = Object.freeze({ READ_ONLY: 1, IS_COPIED: 2, SUBBYTE_PADDED: 4 });

/** Writes a tensor's description for an export; byte strides are divided by `itemsize`. */
export function writeFields(
  fields: Float64Array,
  version: DLPackVersion | null,
  flags: number,
  device: DLDevice,
  dtype: DLDataType,
  offset: number,
  shape: Shape,
  strides: Strides,
  itemsize: number
): void {
  fields[FIELD.versioned] = version === null ? 0 : 1;
  fields[FIELD.major] = version === null ? 0 : version[0];
  fields[FIELD.minor] = version === null ? 0 : version[1];
  fields[FIELD.flags] = flags;
  fields[FIELD.deviceType] = device[0];
  fields[FIELD.deviceId] = device[1];
  fields[FIELD.code] = dtype.code;
  fields[FIELD.bits] = dtype.bits;
  fields[FIELD.lanes] = dtype.lanes;
  fields[FIELD.offset] = offset;
  const { length } = shape;
  fields[FIELD.ndim] = length;
  for (let axis = 0; axis < length; axis++) {
    const size = shape[axis] as number;
    const stride = strides[axis] as number;
    fields[FIELD.shape + axis] = size;
    // The stride of an axis of length 1 has no meaning and need not be a multiple of the element (rules 21, 119).
    const odd = size <= 1 && stride % itemsize !== 0;
    fields[FIELD.strides + axis] = odd ? 1 : stride / itemsize;
  }
}
