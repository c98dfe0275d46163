import { Token } from '@lumino/coreutils';
import type { KernelArraysPool } from './arrays-model.ts';

/** Access to each kernel's arrays for other plugins. Its code is loaded on first use. */
export interface IKernelArrays {
  load(): Promise<KernelArraysPool>;
}

export const IKernelArrays = new Token<IKernelArrays>(
  'stridelab:IKernelArrays',
  'The arrays of each notebook and console.'
);
