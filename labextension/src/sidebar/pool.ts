/** The arrays of all open notebooks and consoles, loaded on first use. */

import type { IConsoleTracker } from '@jupyterlab/console';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { KernelArraysPool } from './arrays-model.ts';
import { Sources } from './sources.ts';

export function createPool(
  notebooks: INotebookTracker | null,
  consoles: IConsoleTracker | null
): { readonly pool: KernelArraysPool; readonly sources: Sources } {
  const sources = new Sources(notebooks, consoles);
  return { pool: new KernelArraysPool(() => sources.all()), sources };
}
