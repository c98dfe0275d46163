/** Makes a kernel of its text, because these files run without the loader hook. */

import * as stridelab from 'stridelab';
import { cuda, type Kernel, type KernelOptions, type NDArray } from 'stridelab';

export type AnyKernel = Kernel<(...values: (NDArray | number | bigint)[]) => void>;

/** `names` are the functions and constants that the text captures, beside all that Stridelab exports. */
export function kernelOf(text: string, names: object = {}, options: KernelOptions = {}): AnyKernel {
  const parameters = /^\((.*?)\) =>/s.exec(text)![1]!.split(/,(?![^<]*>)/).length;
  const body = Object.defineProperty(() => undefined, 'length', { value: parameters });
  const value = { text, file: 'kernel', line: 1, column: 0, captured: { ...stridelab, ...names } };
  Object.defineProperty(body, Symbol.for('stridelab.source'), { value });
  return cuda.kernel(body, {
    name: 'kernel',
    ...options
  });
}
