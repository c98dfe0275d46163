/** The device that these tests run on: the first GPU, or what STRIDELAB_TEST_DEVICE names (sim:0 to try them without one). */

import { devices, type Device, type NDArray } from 'stridelab';

const label = process.env['STRIDELAB_TEST_DEVICE'] ?? 'cuda:0';
const found = devices().find(candidate => candidate.label === label);
if (found === undefined) throw new Error(`no device ${label}`);

export const device: Device = found;
export const on = { device: found };
/** Long enough on a GPU that a missing wait shows. */
export const LARGE = found.simulated ? 2 ** 20 : 2 ** 26;

/** First, middle and last value, which tell whether a write had passed over the array when it was read. */
export function samples(array: NDArray): unknown[] {
  return [0, array.size >> 1, array.size - 1].map(index => array.item(index));
}
