/** Intervals of cells: where an interrupt stops what an interval's function began, the interval is cleared, or it would begin that again. */

import { runInInterval } from '../context/cell-context.ts';

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
}
