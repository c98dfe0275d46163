/**
 * Immediates of cells: each callback runs as a tick, right after Node is done with the immediate itself. Node keeps the immediates of
 * one turn in a list, which stays broken for good where a callback is terminated inside its loop.
 */

import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';

/** Called before the first cell. */
export function followImmediates(): void {
  const original = globalThis.setImmediate;
  const start = (callback: (...args: unknown[]) => void, ...args: unknown[]): NodeJS.Immediate => {
    // Node's own message says what is wrong with a callback.
    if (typeof callback !== 'function') return original(callback);
    const immediate: NodeJS.Immediate = original(() =>
      process.nextTick(() => Reflect.apply(callback, immediate, args))
    );
    return immediate;
  };
  // Its name and length, and what `util.promisify` looks for.
  Object.defineProperties(start, Object.getOwnPropertyDescriptors(original));
  globalThis.setImmediate = timers.setImmediate = start as typeof setImmediate;
  syncBuiltinESMExports();
}
