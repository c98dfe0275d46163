/** Runs callbacks of cells' immediates as ticks: Node's list of immediates is permanently corrupted if one is terminated inside its loop. */

import { syncBuiltinESMExports } from 'node:module';
import timers from 'node:timers';

/** Replaces `setImmediate`; called before the first cell. */
export function followImmediates(): void {
  const original = globalThis.setImmediate;
  const start = (callback: (...args: unknown[]) => void, ...args: unknown[]): NodeJS.Immediate => {
    // Node's own error describes what is wrong with the callback.
    if (typeof callback !== 'function') return original(callback);
    const immediate: NodeJS.Immediate = original(() =>
      process.nextTick(() => Reflect.apply(callback, immediate, args))
    );
    return immediate;
  };
  // Name, length, and the property that `util.promisify` reads.
  Object.defineProperties(start, Object.getOwnPropertyDescriptors(original));
  globalThis.setImmediate = timers.setImmediate = start as typeof setImmediate;
  syncBuiltinESMExports();
}
