import { Token } from '@lumino/coreutils';
import type { KernelArraysPool } from './arrays-model.ts';
import type { Sources } from './sources.ts';

/** What the page knows of each kernel's arrays, for plugins that show some of it. Its code is loaded when it is first wanted. */
export interface IKernelArrays {
  load(): Promise<{ readonly pool: KernelArraysPool; readonly sources: Sources }>;
}

export const IKernelArrays = new Token<IKernelArrays>(
  'stridelab:IKernelArrays',
  'The arrays of each notebook and console, as its kernel tells them.'
);
