/** The arrays of all that is open on the page: loaded when somebody first wants to see any. */

import type { IConsoleTracker } from '@jupyterlab/console';
import type { INotebookTracker } from '@jupyterlab/notebook';
import { usePhrases } from '../models/translation.ts';
import type { Phrases } from '../views/kit/phrases.ts';
import { KernelArraysPool } from './arrays-model.ts';
import { Sources } from './sources.ts';

export function createPool(
  notebooks: INotebookTracker | null,
  consoles: IConsoleTracker | null,
  phrases: Phrases
): { readonly pool: KernelArraysPool; readonly sources: Sources } {
  // What the way to a kernel says of itself is written where no view is.
  usePhrases(phrases);
  const sources = new Sources(notebooks, consoles);
  return { pool: new KernelArraysPool(() => sources.all()), sources };
}
