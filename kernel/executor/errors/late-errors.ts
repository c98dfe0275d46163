/** Errors that no cell waits for, from timers and forgotten promises: told on stderr of the cell that made them. */

import { isInterruption } from '../../../src/notebook/interruption.ts';
import { endCurrentInterval, isOfLatestCell } from '../context/cell-context.ts';
import type { CellSources } from '../context/cell-sources.ts';
import { errorContent } from './traceback.ts';

let count = 0;

/** Errors that were reported so far. */
export const lateErrors = (): number => count;

/** `interrupted` ends the running cell. */
export function reportLateErrors(cells: CellSources, interrupted: () => void): void {
  const report = (origin: string) => (error: unknown) => {
    count += 1;
    process.stderr.write(`${origin}\n${errorContent(error, cells).traceback.join('\n')}\n`);
  };
  const reportUncaught = report('Uncaught error outside a running cell:');
  const reportUnhandled = report('Unhandled rejection of a promise:');
  process.on('uncaughtException', error => {
    if (!isInterruption(error)) return reportUncaught(error);
    // The function of an interval would be called again, and the cell that waits meanwhile is what was to be stopped.
    endCurrentInterval();
    interrupted();
  });
  process.on('unhandledRejection', error => {
    if (!isInterruption(error)) return reportUnhandled(error);
    endCurrentInterval();
    // What an earlier cell awaited may fail late, when it was told to be over.
    if (isOfLatestCell()) interrupted();
  });
}
