/** Reports errors outside of cells, from timers and unhandled promises, on stderr of the cell that started them. */

import { isInterruption, isKeyboardInterrupt } from '../../../src/notebook/interruption.ts';
import { endCurrentInterval, isOfLatestCell } from '../context/cell-context.ts';
import type { CellSources } from '../context/cell-sources.ts';
import { errorContent } from './traceback.ts';

let count = 0;

export const lateErrors = (): number => count;

/** Starts reporting; `interrupted` ends the running cell. */
export function reportLateErrors(cells: CellSources, interrupted: () => void): void {
  const report = (origin: string) => (error: unknown) => {
    count += 1;
    process.stderr.write(`${origin}\n${errorContent(error, cells).traceback.join('\n')}\n`);
  };
  const reportUncaught = report('Uncaught error outside a running cell:');
  const reportUnhandled = report('Unhandled rejection:');
  process.on('uncaughtException', error => {
    if (!isInterruption(error)) return reportUncaught(error);
    // Otherwise the interval would run its function again; the cell that awaits is the one to stop.
    endCurrentInterval();
    interrupted();
  });
  process.on('unhandledRejection', error => {
    if (!isInterruption(error)) return reportUnhandled(error);
    endCurrentInterval();
    // Python reports its interrupt only by this exception. An interrupted wait of the library is reported elsewhere, and may reject
    // after the next cell has started.
    if (isKeyboardInterrupt(error) && isOfLatestCell()) interrupted();
  });
}
