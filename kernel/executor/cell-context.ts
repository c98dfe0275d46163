/** Which cell the running code belongs to, kept across awaits, timers and callbacks. */

import { AsyncLocalStorage } from 'node:async_hooks';

interface RunningCell {
  /** The request's `msg_id`. */
  readonly id: string;
  /** As people see it, `In [3]`; undefined where it is not counted. */
  readonly name: string | undefined;
}

const storage = new AsyncLocalStorage<RunningCell>();
let latest: RunningCell = { id: '', name: undefined };

/** Runs `work` on behalf of the request with this `msg_id`, which is that of the cell with this count. */
export function runForCell<Result>(id: string, work: () => Result, count: number | null = null): Result {
  latest = { id, name: count === null ? undefined : `In [${count}]` };
  return storage.run(latest, work);
}

/** The request the running code belongs to; the latest one where the thread was lost, and '' before the first. */
export function currentCell(): string {
  return (storage.getStore() ?? latest).id;
}

/** That cell by its number, `In [3]`; undefined for code of no counted cell. */
export function currentCellName(): string | undefined {
  return (storage.getStore() ?? latest).name;
}
