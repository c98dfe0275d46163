/** The device that these tests run on: the first GPU, or the one that STRIDELAB_TEST_DEVICE names (sim:0 to try them without a GPU). */

import { devices, type Device, type NDArray } from 'stridelab';

const label = process.env['STRIDELAB_TEST_DEVICE'] ?? 'cuda:0';
const found = devices().find(candidate => candidate.label === label);
if (found === undefined) throw new Error(`no device ${label}`);

export const device: Device = found;
export const on = { device: found };
/** Large enough that a missing wait shows on a GPU. */
export const LARGE = found.simulated ? 2 ** 20 : 2 ** 26;

/** First, middle and last value, which show how far a write had progressed when the array was read. */
export function samples(array: NDArray): unknown[] {
  return [0, array.size >> 1, array.size - 1].map(index => array.item(index));
}
