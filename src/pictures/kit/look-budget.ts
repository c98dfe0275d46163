/** Limits on the data that a picture reads from an array. */

import type { NDArray } from '../../array/array.ts';
import { SPARING_WASTE } from '../../array/transfer.ts';

/** Maximum bytes that one read copies to the host. */
export const LOOK_BYTES = 64 * 1024;

/** Returns the maximum number of elements that one read may copy; 0 if a single one is too large. */
export function affordableElements({ dtype, mask }: NDArray): number {
  return Math.floor(LOOK_BYTES / ((dtype.itemsize + (mask?.dtype.itemsize ?? 0)) * SPARING_WASTE));
}
