/** Makes kernels of texts, as the transforms of cells and files do. */

import { cuda, type NDArray } from '../../../src/index.ts';
import * as types from '../../../src/kernels/language/number-types.ts';
import type { KernelOptions } from '../../../src/kernels/cuda.ts';
import type { Kernel } from '../../../src/kernels/launch/kernel.ts';

/** What a text takes, TypeScript does not know: any number of any values. */
export type AnyBody = (...parameters: (NDArray | number | bigint | boolean | object)[]) => void;
export type Captured = Readonly<Record<string, unknown>>;

/** Returns a function with the text as its source; its own body is empty. Getters among the captured values stay getters. */
export function functionOf(parameters: number, text: string, captured: Captured = {}): AnyBody {
  const names = Object.create({ cuda, ...types }, Object.getOwnPropertyDescriptors(captured)) as Captured;
  const source = { text, file: 'cell 1', line: 1, column: 0, captured: names };
  return Object.defineProperties(() => undefined, {
    length: { value: parameters },
    name: { value: '' },
    [Symbol.for('stridelab.source')]: { value: source }
  });
}

/** Returns a kernel of a text. */
export function kernelOf(
  parameters: number,
  text: string,
  captured: Captured = {},
  options: KernelOptions = {}
): Kernel<AnyBody> {
  return cuda.kernel(functionOf(parameters, text, captured), options);
}
