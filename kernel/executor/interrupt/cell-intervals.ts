/** Intervals of cells: an interrupt of code that an interval started clears it, or it would start again. */

import { runInInterval } from '../context/cell-context.ts';

/** Replaces `setInterval`; called before the first cell. */
export function followIntervals(): void {
  const original = globalThis.setInterval;
  const start = (callback: () => void, ...rest: number[]): NodeJS.Timeout => {
    const interval: NodeJS.Timeout = runInInterval(
      () => clearInterval(interval),
      () => original(callback, ...rest)
    );
    return interval;
  };
  // Name, length, and the property that `util.promisify` reads.
  Object.defineProperties(start, Object.getOwnPropertyDescriptors(original));
  globalThis.setInterval = start as typeof setInterval;
}
