/** How much of an array a picture reads. */

import type { NDArray } from '../../array/array.ts';
import { SPARING_WASTE } from '../../array/transfer.ts';

/** Bytes that a look copies to the host at most. */
export const LOOK_BYTES = 64 * 1024;

/** Elements that a look may read; 0 where one is too large already. */
export function affordableElements({ dtype, mask }: NDArray): number {
  return Math.floor(LOOK_BYTES / ((dtype.itemsize + (mask?.dtype.itemsize ?? 0)) * SPARING_WASTE));
}
