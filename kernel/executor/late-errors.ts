/** Errors that no cell waits for, from timers and forgotten promises: told on stderr of the cell that made them. */

import type { CellSources } from './cell-sources.ts';
import { errorContent } from './traceback.ts';

let count = 0;

/** Errors that were reported so far. */
export const lateErrors = (): number => count;

export function reportLateErrors(cells: CellSources): void {
  const report = (origin: string) => (error: unknown) => {
    count += 1;
    process.stderr.write(`${origin}\n${errorContent(error, cells).traceback.join('\n')}\n`);
  };
  process.on('uncaughtException', report('Uncaught error outside a running cell:'));
  process.on('unhandledRejection', report('Unhandled rejection of a promise:'));
}
