/** The traces of all workers in one timeline. */

import { writeFile } from 'node:fs/promises';

import { DISPLAY_METHOD, type MimeBundle } from '../notebook/host.ts';
import type { PyObject } from '../python/interpreter/object.ts';
import { python } from '../python/python.ts';
import { chromeTrace, type ChromeTrace } from '../recording/trace/chrome.ts';
import type { TraceEvent, TraceRecords } from '../recording/trace/records.ts';
import { sourceOf } from './function.ts';
import { mergeTraces, type WorkerTrace } from './merged-traces.ts';
import type { ClientModule, Connection } from './python-client.ts';

/** Options of `Cluster.trace`. */
export interface ClusterTraceOptions {
  /** Number of records that each worker keeps, 65,536 by default. */
  readonly capacity?: number;
}

/** How well the times of a worker are aligned to those of the client. */
export interface WorkerClock {
  readonly worker: string;
  /** What was added to the worker's time, in microseconds. */
  readonly offset: number;
  /** The largest error of that, in microseconds. */
  readonly error: number;
}

/** Records of several workers. Times are microseconds since the first trace started, by the client's clock. */
export interface ClusterTraceRecords extends TraceRecords {
  readonly clocks: readonly WorkerClock[];
  /** Workers whose records are missing, because they or their Node were lost. */
  readonly missing: readonly string[];
}

/** What a worker answers when its trace has started. */
interface Started {
  /** The process that records: another one has no records of this trace. */
  readonly pid: number;
  /** The wall time of the trace's zero, in microseconds since 1970, and the largest error of that. */
  readonly origin: number;
  readonly error: number;
}

/** What a worker answers when its records are gathered. */
interface Recorded {
  readonly pid: number;
  readonly events: readonly TraceEvent[];
  readonly dropped: number;
}

const start = async (capacity: number | null): Promise<string> => {
  const { trace } = await import('stridelab');
  trace.start(capacity === null ? {} : { capacity });
  // A label has the time of the trace's own clock.
  const before = performance.timeOrigin + performance.now();
  trace.label('stridelab clock', () => undefined);
  const after = performance.timeOrigin + performance.now();
  const at = trace.read().events.find(({ name }) => name === 'stridelab clock')?.hostStart ?? 0;
  return JSON.stringify({
    pid: process.pid,
    origin: ((before + after) / 2) * 1000 - at,
    error: ((after - before) / 2) * 1000
  });
};

const stop = async (): Promise<void> => {
  const { trace } = await import('stridelab');
  trace.stop();
};

const read = async (): Promise<string> => {
  const { trace } = await import('stridelab');
  const { events, dropped } = trace.read();
  const plain = events
    .filter(({ name }) => name !== 'stridelab clock')
    .map(event => ({
      ...event,
      device: event.device && {
        label: event.device.label,
        name: event.device.name,
        simulated: event.device.simulated
      },
      // Pointers mean nothing outside of the worker.
      blocks: []
    }));
  return JSON.stringify({ pid: process.pid, events: plain, dropped });
};

/** A trace of the work of all tasks, on all workers. `inspect` and `display` show what was recorded until the last `read`. */
export class ClusterTrace implements AsyncDisposable {
  /** Returns the display of the trace in a notebook. */
  declare readonly [DISPLAY_METHOD]: () => Promise<MimeBundle>;
  readonly #module: ClientModule;
  readonly #connection: Connection;
  readonly #nameOf: (address: string) => string;
  #started = new Map<string, Started>();
  #stopped = false;

  private constructor(module: ClientModule, connection: Connection, nameOf: (address: string) => string) {
    this.#module = module;
    this.#connection = connection;
    this.#nameOf = nameOf;
  }

  /** Starts the trace of each worker that is there now. `nameOf` returns a worker's name. For `Cluster.trace`. */
  static async start(
    module: ClientModule,
    connection: Connection,
    nameOf: (address: string) => string,
    { capacity }: ClusterTraceOptions
  ): Promise<ClusterTrace> {
    const made = new ClusterTrace(module, connection, nameOf);
    const answers = await made.#everywhere<string>(start, capacity ?? null);
    made.#started = new Map([...answers].map(([address, text]) => [address, JSON.parse(text) as Started]));
    return made;
  }

  /** Stops recording. A second call does nothing. */
  async stop(): Promise<void> {
    if (this.#stopped) return;
    this.#stopped = true;
    await this.#everywhere(stop);
  }

  /**
   * Gathers the records of all workers, and aligns their times to this process's clock. Workers of this machine have its clock; the offset of
   * others is measured, and `clocks` says how well. Simulated devices keep their virtual time, which is not aligned.
   */
  async read(): Promise<ClusterTraceRecords> {
    const offsets = new Map(
      Object.entries(
        python.toJS(await python.callAsync(this.#connection.clock_offsets)) as Record<
          string,
          [offset: number, error: number]
        >
      )
    );
    const answers = await this.#everywhere<string>(read);
    const traces: WorkerTrace[] = [];
    const missing: string[] = [];
    for (const [address, { pid, origin, error }] of this.#started) {
      const text = answers.get(address);
      const clock = offsets.get(address);
      const worker = this.#nameOf(address);
      const answer = text === undefined ? undefined : (JSON.parse(text) as Recorded);
      if (answer?.pid !== pid || clock === undefined) {
        missing.push(worker);
        continue;
      }
      const { events, dropped } = answer;
      traces.push({
        worker,
        events,
        dropped,
        origin: origin + clock[0],
        offset: clock[0],
        error: error + clock[1]
      });
    }
    return { ...mergeTraces(traces), missing };
  }

  /** Gathers the records in Chrome's trace event format. */
  async toChrome(): Promise<ChromeTrace> {
    return chromeTrace(await this.read());
  }

  /** Writes `toChrome()` to a file, for https://ui.perfetto.dev or chrome://tracing. */
  async save(path: string): Promise<void> {
    await writeFile(path, JSON.stringify(await this.toChrome()));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #everywhere<Answer>(
    function_: (...values: never[]) => Promise<Answer>,
    ...values: readonly unknown[]
  ): Promise<Map<string, Answer>> {
    const { digest, name, source } = sourceOf(function_);
    const given: PyObject = this.#module.Function(digest, name, source);
    const found = python.toJS(
      await python.callAsync(this.#connection.run_everywhere, given, values)
    ) as Record<string, Answer>;
    return new Map(Object.entries(found));
  }
}
