import { Token } from '@lumino/coreutils';
import type { KernelArraysPool } from './sidebar/arrays-model.ts';

/** What the page knows of each kernel's arrays, for plugins that show some of it. */
export type IKernelArrays = KernelArraysPool;

export const IKernelArrays = new Token<IKernelArrays>(
  'stridelab:IKernelArrays',
  'The arrays of each notebook and console, as its kernel tells them.'
);
