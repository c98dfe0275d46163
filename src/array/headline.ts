/** One-line summary of an array. */

import type { NDArray } from './array.ts';
import { formatShape, type Shape } from '../layout/shape.ts';
import { formatBytes } from '../base/bytes-text.ts';
import { cut } from '../base/short-texts.ts';

/** Longest name of a dtype, in characters: that of a structured dtype lists its fields. */
const LONGEST_NAME = 160;

/** Formats a summary such as `float32 (3, 4) on sim:0 (simulated), 48 B`. */
export function headlineOf(dtype: string, shape: Shape, device: string, bytes: number): string {
  return `${cut(dtype, LONGEST_NAME)} ${formatShape(shape)} on ${device}, ${formatBytes(bytes)}`;
}

export function headline({ dtype, shape, device, nbytes }: NDArray): string {
  return headlineOf(dtype.name, shape, device.toString(), nbytes);
}
