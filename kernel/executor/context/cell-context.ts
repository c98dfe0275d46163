/** Which cell the running code belongs to, kept across awaits, timers and callbacks. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { presentOwner } from './output-sinks.ts';

interface RunningCell {
  /** The request's `msg_id`. */
  readonly id: string;
  /** As people see it, `In [3]`; undefined where it is not counted. */
  readonly name: string | undefined;
  /** Aborted when it is interrupted. */
  readonly signal?: AbortSignal | undefined;
  /** Where output goes instead, by the id that `runRedirected` was given. */
  readonly sink?: string;
  /** Clears the interval whose function the code belongs to. */
  readonly endInterval?: () => void;
}

const storage = new AsyncLocalStorage<RunningCell>();
let latest: RunningCell = { id: '', name: undefined };
let pageLoads = 0;
let anyInterrupted = false;

/** Runs `work` on behalf of the request with this `msg_id`, which is that of the cell with this count. */
export function runForCell<Result>(
  id: string,
  work: () => Result,
  count: number | null = null,
  signal?: AbortSignal
): Result {
  latest = { id, name: count === null ? undefined : `In [${count}]`, signal };
  return storage.run(latest, work);
}

/** Runs `work` on behalf of the same request, with its output marked as that of `sink`. */
export function runRedirected<Result>(sink: string, work: () => Result): Result {
  return storage.run({ ...running(), sink }, work);
}

/** Starts an interval by `work`, whose function and what that begins belong to it; `end` clears it. */
export function runInInterval<Result>(end: () => void, work: () => Result): Result {
  return storage.run({ ...running(), endInterval: end }, work);
}

/** Clears the interval that the running code belongs to, if it does. */
export function endCurrentInterval(): void {
  storage.getStore()?.endInterval?.();
}

/** Whether the running code belongs to the cell that began last. */
export function isOfLatestCell(): boolean {
  return running().id === latest.id;
}

/** What output is marked with: the request the running code belongs to, or the sink it is redirected to. */
export function currentCell(): string {
  const { id, sink } = running();
  return sink === undefined ? id : presentOwner(sink);
}

/** The request the running code belongs to; the latest one where the thread was lost, and '' before the first. */
export function currentRequest(): string {
  return running().id;
}

/** Remembers the running cell; what it gives runs work on its behalf. */
export function bindCell(): <Result>(work: () => Result) => Result {
  const bound = running();
  const load = pageLoads;
  return work => {
    // Output of a cell whose page was loaded anew is shown nowhere; that of the message at hand is, in the page's log.
    const { id, name } = load === pageLoads ? bound : running();
    const { sink } = bound;
    return storage.run(sink === undefined ? { id, name } : { id, name, sink }, work);
  };
}

/** Cells that ran before have no place any more where a page would show what they print. */
export function pageLoaded(): void {
  pageLoads += 1;
}

function running(): RunningCell {
  return storage.getStore() ?? latest;
}

/** Aborted when that cell is interrupted; undefined for code that nobody can interrupt. */
export function currentSignal(): AbortSignal | undefined {
  return storage.getStore()?.signal;
}

/** Marks the cell with this signal as interrupted, and tells programs that it runs to end. */
export function markInterrupted(cell: AbortController): void {
  anyInterrupted = true;
  cell.abort();
}

/** Whether that cell was interrupted. Asked behind each `await`, and cheap as long as no cell was. */
export function isInterrupted(): boolean {
  return anyInterrupted && storage.getStore()?.signal?.aborted === true;
}

/** That cell by its number, `In [3]`; undefined for code of no counted cell. */
export function currentCellName(): string | undefined {
  return running().name;
}
