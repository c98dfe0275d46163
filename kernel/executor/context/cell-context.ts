/** Tracks which cell the running code belongs to, across awaits, timers and callbacks. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { presentOwner } from './output-sinks.ts';

interface RunningCell {
  /** The request's `msg_id`. */
  readonly id: string;
  /** The cell's name, `In [3]`; undefined if it is not counted. */
  readonly name: string | undefined;
  /** Aborted when the cell is interrupted. */
  readonly signal?: AbortSignal | undefined;
  /** Sink for the output instead of the cell, by the id that was passed to `runRedirected`. */
  readonly sink?: string;
  /** Clears the interval whose function the code belongs to. */
  readonly endInterval?: () => void;
}

const storage = new AsyncLocalStorage<RunningCell>();
let latest: RunningCell = { id: '', name: undefined };
let pageLoads = 0;
let anyInterrupted = false;

/** Runs `work` on behalf of the request with this `msg_id`; `count` is its execution count, null if the cell is not counted. */
export function runForCell<Result>(
  id: string,
  work: () => Result,
  count: number | null = null,
  signal?: AbortSignal
): Result {
  latest = { id, name: count === null ? undefined : `In [${count}]`, signal };
  return storage.run(latest, work);
}

/** Runs `work` on behalf of the current request, with its output marked for `sink`. */
export function runRedirected<Result>(sink: string, work: () => Result): Result {
  return storage.run({ ...running(), sink }, work);
}

/** Runs `work`, which starts an interval. The interval's function, and everything that it starts, can then call `end` to clear it. */
export function runInInterval<Result>(end: () => void, work: () => Result): Result {
  return storage.run({ ...running(), endInterval: end }, work);
}

export function endCurrentInterval(): void {
  storage.getStore()?.endInterval?.();
}

export function isOfLatestCell(): boolean {
  return running().id === latest.id;
}

/** Returns the id that output is marked with: the request of the running code, or the sink it is redirected to. */
export function currentCell(): string {
  const { id, sink } = running();
  return sink === undefined ? id : presentOwner(sink);
}

/** Returns the request of the running code; the latest one if the context was lost, and '' before the first. */
export function currentRequest(): string {
  return running().id;
}

/** Remembers the running cell; the returned function runs work on its behalf. */
export function bindCell(): <Result>(work: () => Result) => Result {
  const bound = running();
  const load = pageLoads;
  return work => {
    // After a page reload, no page shows output of earlier cells; the page's log shows output of the current message.
    const { id, name } = load === pageLoads ? bound : running();
    const { sink } = bound;
    return storage.run(sink === undefined ? { id, name } : { id, name, sink }, work);
  };
}

/** Records a page load: earlier cells no longer have a place where a page would show their output. */
export function pageLoaded(): void {
  pageLoads += 1;
}

function running(): RunningCell {
  return storage.getStore() ?? latest;
}

/** Returns the signal that an interrupt of the running code's cell aborts; undefined for code that cannot be interrupted. */
export function currentSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}

/** Marks the cell with this signal as interrupted, and signals its child processes to end. */
export function markInterrupted(cell: AbortController): void {
  anyInterrupted = true;
  cell.abort();
}

/** Returns whether the running code's cell was interrupted. Checked after each `await`, so it is cheap until one was. */
export function isInterrupted(): boolean {
  return anyInterrupted && storage.getStore()?.signal?.aborted === true;
}

/** Returns the name of the running code's cell, `In [3]`; undefined if it is not counted. */
export function currentCellName(): string | undefined {
  return running().name;
}
