/** Kernels on the recording device, whose fake modules accept launches and record the arguments. */

import { cuda, type KernelFunction } from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';

export const rec = { device: 'rec:0' } as const;
export const { recording } = native();
export const ONE = { grid: 1, block: 32 } as const;

/** A kernel whose parameters have these sizes, in bytes; `list` is how its source declares them, if there is one. */
export function kernel(sizes: readonly number[], list?: string): KernelFunction {
  const signatures = list === undefined ? '' : `extern "C" __global__ void k(${list});`;
  return cuda.load(Buffer.from(`k ${sizes.join(' ')}`), { ...rec, signatures }).function('k');
}

/** The arguments that the launches of `k` in `action` passed: numbers, and bytes for anything longer. */
export function passed(action: () => void): string[] {
  recording.clear();
  action();
  return recording
    .log()
    .filter(call => call.startsWith('k('))
    .map(call => call.slice(2, -1));
}

/** A number in the format of the log. */
export function logged(value: bigint | number): string {
  return value < 2 ** 26 ? String(value) : `0x${value.toString(16)}`;
}
