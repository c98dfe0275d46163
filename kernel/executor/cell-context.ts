/** Which cell the running code belongs to, kept across awaits, timers and callbacks. */

import { AsyncLocalStorage } from 'node:async_hooks';

const storage = new AsyncLocalStorage<string>();
let latest = '';

/** Runs `work` on behalf of the request with this `msg_id`. */
export function runForCell<Result>(cell: string, work: () => Result): Result {
  latest = cell;
  return storage.run(cell, work);
}

/** The request the running code belongs to; the latest one where the thread was lost, and '' before the first. */
export function currentCell(): string {
  return storage.getStore() ?? latest;
}
