/** What ran where: a ring of records of copies, fills, kernels, graphs and waits, timed on the device. Costs nothing while it is off. */

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
  /** How many records are kept, 65,536 by default: the oldest go first, and are counted. */
  readonly capacity?: number;
  /** The devices whose work is recorded; all by default. */
  readonly devices?: readonly DeviceLike[];
}

const DEFAULT_CAPACITY = 65_536;

/** There is one for the process, `trace`. It sees what is submitted through this library, by any thread. */
export class Trace extends Recording<TraceOptions, TraceRecords> {
  /** What a notebook shows for the trace: a timeline of each device, and a table. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  /** By which records name this thread's environment; undefined before the first start. */
  #source: number | undefined;
  /** How often it was started: what began before says nothing of what is recorded now. */
  #starts = 0;

  /** Whether work is recorded now. */
  override get enabled(): boolean {
    return this.#source !== undefined && this.#native.enabled();
  }

  get #native(): NativeTrace {
    return native().trace;
  }

  /**
   * Begins to record, after dropping what was recorded; a trace that is on starts again. Each operation then costs two timing events on
   * its stream. Returns the trace itself, whose disposal stops it.
   * @throws ArgumentError, DeviceError, DriverError where a device's clock cannot be read
   * @example using t = trace.start();
   */
  override start(options: TraceOptions = {}): this {
    const { capacity = DEFAULT_CAPACITY, devices } = options;
    requireCapacity('trace.start', capacity);
    const natives = devices === undefined ? null : devices.map(device => toDevice(device).native);
    this.#native.start(capacity, natives);
    this.#starts++;
    // At every start: a second copy of the library on this thread may have set its own since.
    this.#source = this.#native.setContext(contextNumber);
    resetContexts(capacity);
    subjects.wanted = true;
    this.changed();
    return this;
  }

  /** Ends recording and keeps what was recorded. */
  override stop(): void {
    if (this.#source === undefined) return;
    subjects.wanted = false;
    this.#native.stop();
    this.changed();
  }

  /** Drops what was recorded; recording continues if it is on. */
  override clear(): void {
    if (this.#source === undefined) return;
    this.#native.clear();
    this.changed();
  }

  /**
   * What was recorded so far. Never waits: work that is not done has no times yet, and a later call reports them. Synchronize first to
   * have them all.
   */
  override read(): TraceRecords {
    if (this.#source === undefined) return { events: [], dropped: 0 };
    return readRecords(this.#native.read(), this.#source);
  }

  /** Reads what is new since its last time, from the first record on. */
  reader(): TraceReader {
    return new TraceReader(
      () => (this.#source === undefined ? undefined : this.#native),
      () => this.#source ?? 0
    );
  }

  /**
   * Runs `body` and gives what it submits, also after its awaits, the label `text`; labels nest. The time from the call until the body
   * returns, or its promise settles, is recorded too. Returns what the body returns.
   * @throws what `body` throws, ArgumentError for a text that is none
   */
  label<Result>(text: string, body: () => Result): Result {
    if (typeof text !== 'string') throw new ArgumentError(`trace.label: ${textOf(text)} is not a text`);
    if (typeof body !== 'function') throw new ArgumentError(`trace.label: ${textOf(body)} is not a function`);
    if (!this.enabled) return body();
    const begin = this.#native.now();
    const start = this.#starts;
    return runLabelled(text, body, () => {
      if (start === this.#starts) this.#native.noteRange(text, begin);
    });
  }

  /**
   * The trace in Chrome's trace event format: a process for the host and for each device, a thread for each stream, arrows from
   * submissions to what they had run, a counter of allocated bytes.
   */
  toChrome(): ChromeTrace {
    return chromeTrace(this.read());
  }

  /** Writes `toChrome()` to a file, for https://ui.perfetto.dev or chrome://tracing. Work not done is missing: synchronize first. */
  async save(path: string): Promise<void> {
    await writeFile(path, JSON.stringify(this.toChrome()));
  }
}

/** The trace of this process. */
export const trace: Trace = new Trace();
