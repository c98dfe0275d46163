/** Rounding to 16-bit floats. Pure. */

import { decodeSmallFloat, encodeSmallFloat } from '../../dtype/small-floats.ts';

/** Rounds a number to float16 and returns that. */
export function roundToFloat16(value: number): number {
  const view = new DataView(new ArrayBuffer(2));
  view.setFloat16(0, value);
  return view.getFloat16(0);
}

/** Rounds a number to bfloat16, half to even, and returns that. */
export function roundToBfloat16(value: number): number {
  return decodeSmallFloat('bfloat16', encodeSmallFloat('bfloat16', value)!)!;
}
