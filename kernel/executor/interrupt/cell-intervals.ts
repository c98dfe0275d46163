/** Intervals of cells: where an interrupt stops what an interval's function began, the interval is cleared, or it would begin that again. */

import { endCurrentInterval, runInInterval } from '../context/cell-context.ts';

/** The interrupt thread calls this in the frame that it stops. */
const END_INTERVAL = Symbol.for('stridelab.end-interval');

/** Called before the first cell. */
export function followIntervals(): void {
  const original = globalThis.setInterval;
  const start = (callback: () => void, ...rest: number[]): NodeJS.Timeout => {
    const interval: NodeJS.Timeout = runInInterval(
      () => clearInterval(interval),
      () => original(callback, ...rest)
    );
    return interval;
  };
  // Its name and length, and what `util.promisify` looks for.
  Object.defineProperties(start, Object.getOwnPropertyDescriptors(original));
  globalThis.setInterval = start as typeof setInterval;
  (globalThis as { [END_INTERVAL]?: () => void })[END_INTERVAL] = endCurrentInterval;
}
