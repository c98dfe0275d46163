/** Trace of device work: a ring buffer of copies, fills, kernels, graphs and waits, timed on the device. Costs nothing while it is off. */

import { Recording, requireCapacity, type RecordingOptions } from '../../core/recording.ts';
import { writeFile } from 'node:fs/promises';

import { toDevice, type DeviceLike } from '../../core/device.ts';
import { ArgumentError } from '../../base/errors.ts';
import type { NativeTrace } from '../../native/observation-binding.ts';
import { native } from '../../native/load.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../notebook/host.ts';
import { chromeTrace, type ChromeTrace } from './chrome.ts';
import { contextNumber, resetContexts, runLabelled, subjects } from '../../core/context.ts';
import { TraceReader } from './reader.ts';
import { readRecords, type TraceRecords } from './records.ts';
import { textOf } from '../../base/value-text.ts';

export interface TraceOptions extends RecordingOptions {
  /** Number of records kept, 65,536 by default; the oldest are dropped and counted. */
  readonly capacity?: number;
  /** The devices whose work is recorded; all by default. */
  readonly devices?: readonly DeviceLike[];
}

const DEFAULT_CAPACITY = 65_536;

/** Records device work; the process has one instance, `trace`. It covers submissions through this library from any thread. */
export class Trace extends Recording<TraceOptions, TraceRecords> {
  /** Returns the notebook's display of the trace: a timeline of each device, and a table. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  /** Id of this thread's environment in records; undefined before the first start. */
  #source: number | undefined;
  /** Number of starts: readers of an earlier trace are outdated. */
  #starts = 0;

  /** Whether work is being recorded. */
  override get enabled(): boolean {
    return this.#source !== undefined && this.#native.enabled();
  }

  get #native(): NativeTrace {
    return native().trace;
  }

  /**
   * Starts recording, after dropping earlier records; a trace that is on restarts. Each operation then costs
   * two timing events on its stream. Returns the trace; disposing it stops the recording.
   * @throws ArgumentError, DeviceError, DriverError if a device's clock cannot be read
   * @example using t = trace.start();
   */
  override start(options: TraceOptions = {}): this {
    const { capacity = DEFAULT_CAPACITY, devices } = options;
    requireCapacity('trace.start', capacity);
    const natives = devices === undefined ? null : devices.map(device => toDevice(device).native);
    this.#native.start(capacity, natives);
    this.#starts++;
    // Set at every start: another copy of the library on this thread may have replaced it.
    this.#source = this.#native.setContext(contextNumber);
    resetContexts(capacity);
    subjects.wanted = true;
    this.changed();
    return this;
  }

  /** Stops recording and keeps the records. */
  override stop(): void {
    if (this.#source === undefined) return;
    subjects.wanted = false;
    this.#native.stop();
    this.changed();
  }

  /** Drops the records; recording continues if it is on. */
  override clear(): void {
    if (this.#source === undefined) return;
    this.#native.clear();
    this.changed();
  }

  /** Returns the records so far. Never waits: work that is not complete has no times yet; synchronize first to have them all. */
  override read(): TraceRecords {
    if (this.#source === undefined) return { events: [], dropped: 0 };
    return readRecords(this.#native.read(), this.#source);
  }

  /** Creates a reader that returns new records on each read, from the first record on. */
  reader(): TraceReader {
    return new TraceReader(
      () => (this.#source === undefined ? undefined : this.#native),
      () => this.#source ?? 0
    );
  }

  /**
   * Runs `body` and labels its submissions with `text`, including those after its awaits; labels nest. The time from
   * the call until the body returns, or its promise settles, is recorded too. Returns the body's result.
   * @throws ArgumentError if `text` is not a string or `body` not a function, and what `body` throws
   */
  label<Result>(text: string, body: () => Result): Result {
    if (typeof text !== 'string')
      throw new ArgumentError(`trace.label: text is ${textOf(text)}, expected a string`);
    if (typeof body !== 'function')
      throw new ArgumentError(`trace.label: body is ${textOf(body)}, expected a function`);
    if (!this.enabled) return body();
    const begin = this.#native.now();
    const start = this.#starts;
    return runLabelled(text, body, () => {
      if (start === this.#starts) this.#native.noteRange(text, begin);
    });
  }

  /** Returns the trace in Chrome's trace event format: host and devices as processes, streams as threads, arrows from submissions to the work. */
  toChrome(): ChromeTrace {
    return chromeTrace(this.read());
  }

  /** Writes `toChrome()` to a file, for https://ui.perfetto.dev or chrome://tracing. Incomplete work is missing: synchronize first. */
  async save(path: string): Promise<void> {
    await writeFile(path, JSON.stringify(this.toChrome()));
  }
}

/** The trace of this process. */
export const trace: Trace = new Trace();
