/** Which cell the running code belongs to, kept across awaits, timers and callbacks. */

import { AsyncLocalStorage } from 'node:async_hooks';
import type { OutputSink } from '../../src/notebook/host.ts';

interface RunningCell {
  /** The request's `msg_id`. */
  readonly id: string;
  /** As people see it, `In [3]`; undefined where it is not counted. */
  readonly name: string | undefined;
  /** Takes what the code prints and shows in place of the cell. */
  readonly sink: OutputSink | undefined;
}

const storage = new AsyncLocalStorage<RunningCell>();
let latest: RunningCell = { id: '', name: undefined, sink: undefined };

/** Runs `work` on behalf of the request with this `msg_id`, which is that of the cell with this count. */
export function runForCell<Result>(id: string, work: () => Result, count: number | null = null): Result {
  latest = { id, name: count === null ? undefined : `In [${count}]`, sink: undefined };
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

/** Runs `work` with what it prints and shows, also after its awaits, given to `sink` until that is closed. */
export function withSink<Result>(sink: OutputSink, work: () => Result): Result {
  const { id, name, sink: outer } = storage.getStore() ?? latest;
  return storage.run({ id, name, sink: new ChainedSink(sink, outer) }, work);
}

/** Where the running code's output goes; undefined for its cell. */
export function currentSink(): OutputSink | undefined {
  const sink = storage.getStore()?.sink;
  return sink?.closed === true ? undefined : sink;
}

/** Once the inner one is closed, output goes where it went before. */
class ChainedSink implements OutputSink {
  readonly #inner: OutputSink;
  readonly #outer: OutputSink | undefined;

  constructor(inner: OutputSink, outer: OutputSink | undefined) {
    this.#inner = inner;
    this.#outer = outer;
  }

  get closed(): boolean {
    return this.#inner.closed && (this.#outer?.closed ?? true);
  }

  stream(name: 'stdout' | 'stderr', text: string): void {
    this.#open.stream(name, text);
  }

  message(type: string, content: Readonly<Record<string, unknown>>): void {
    this.#open.message(type, content);
  }

  get #open(): OutputSink {
    return this.#inner.closed ? this.#outer! : this.#inner;
  }
}
