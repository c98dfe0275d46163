import { Token } from '@lumino/coreutils';
import type { KernelArraysPool } from './arrays-model.ts';
import type { Sources } from './sources.ts';

/** Access to each kernel's arrays for other plugins. Its code is loaded on first use. */
export interface IKernelArrays {
  load(): Promise<{ readonly pool: KernelArraysPool; readonly sources: Sources }>;
}

export const IKernelArrays = new Token<IKernelArrays>(
  'stridelab:IKernelArrays',
  'The arrays of each notebook and console, as its kernel tells them.'
);
