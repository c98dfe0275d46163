/** Who took which memory, when and where: a ring of allocations and frees. Costs one check of a variable at each while it is off. */

import { writeFile } from 'node:fs/promises';

import { Recording, requireCapacity, type Recorded, type RecordingOptions } from '../../core/recording.ts';
import { toDevice, type Device, type DeviceLike } from '../../core/device.ts';
import { native } from '../../native/load.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../notebook/host.ts';
import { logJson, rmmCsv } from './export.ts';
import { memoryObserver } from '../../memory/manager/observer.ts';
import { Recorder } from './recorder.ts';
import type { MemoryLogState } from './state.ts';
import type { LogEvent, LoggedAllocation, LoggedFailure, LoggedSegment } from './records.ts';

export interface MemoryLogOptions extends RecordingOptions {
  /** How many events are kept, 65,536 by default: the oldest go first, and are counted. */
  readonly capacity?: number;
  /** Whether it is noted where each allocation was made, which costs some microseconds each. Default true. */
  readonly stacks?: boolean;
}

/** One event. `kind` says what it is about: an allocation, a failure, or a segment of a pool. */
export type MemoryEvent = { readonly number: number; readonly time: number } & (
  | { readonly kind: 'allocate' | 'free' | 'borrow' | 'return'; readonly subject: LoggedAllocation }
  | { readonly kind: 'failure'; readonly subject: LoggedFailure }
  | { readonly kind: 'segment' | 'segment-free'; readonly subject: LoggedSegment }
);

export interface MemoryLogRecords extends Recorded<MemoryEvent> {
  /** What is alive, also what was there before the log and what was made by events that are forgotten. */
  readonly alive: readonly LoggedAllocation[];
}

/** What a log is at one moment. */
export interface LogStatus {
  readonly state: MemoryLogState;
  /** Counts starts. */
  readonly start: number;
  /** A log that was never started has one that only took up what was there. */
  readonly recorder: Recorder;
  /** The position of a device among those of a picture. */
  readonly indexOf: (device: Device) => number;
  readonly devices: () => readonly Device[];
}

const DEFAULT_CAPACITY = 65_536;

/** There is one for the process, `memoryLog`. It sees what goes through this library's memory managers. */
export class MemoryLog extends Recording<MemoryLogOptions, MemoryLogRecords> {
  /** What a notebook shows for the log: who uses how much, over time, and what is alive. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  #recorder: Recorder | null = null;
  /** Time of the program's clock at the start. */
  #began = 0;
  #starts = 0;
  readonly #devices: Device[] = [];

  /** Whether allocations are recorded now. */
  override get enabled(): boolean {
    return memoryObserver.current !== null && memoryObserver.current === this.#recorder;
  }

  /**
   * Begins to record, after dropping what was recorded; a log that is on starts again. Allocations that managers made before are
   * included, without their origin; pending frees are waited for first. Returns the log itself, whose disposal stops it.
   * @throws ArgumentError
   * @example using log = memoryLog.start();
   */
  override start({ capacity = DEFAULT_CAPACITY, stacks = true }: MemoryLogOptions = {}): this {
    requireCapacity('memoryLog.start', capacity);
    // What was disposed of already would be taken up, and seen to end once more.
    native().drainReleases(true);
    this.#began = performance.now();
    this.#recorder = new Recorder(capacity, stacks, () => this.changed());
    this.#starts++;
    memoryObserver.current = this.#recorder;
    this.changed();
    return this;
  }

  /** Ends recording and keeps what was recorded. */
  override stop(): void {
    if (!this.enabled) return;
    memoryObserver.current = null;
    this.changed();
  }

  /** Drops the events; live allocations stay known, and recording continues if it is on. */
  override clear(): void {
    this.#recorder?.clear();
  }

  /** What was recorded. */
  override read(): MemoryLogRecords {
    const recorder = this.#recorder;
    if (recorder === null) return { events: [], alive: [], dropped: 0 };
    return {
      events: recorder.events() as readonly LogEvent[] as readonly MemoryEvent[],
      alive: recorder.alive(),
      dropped: recorder.span.dropped
    };
  }

  /** The log as RMM writes its own: a row for each allocation, free and failure of a device; of all if none is given. */
  toCsv(device?: DeviceLike): string {
    const only = device === undefined ? undefined : toDevice(device);
    const events = this.#recorder?.events() ?? [];
    return rmmCsv(
      events.filter(({ subject }) => only === undefined || subject.device === only),
      this.#began
    );
  }

  /** Every event as plain data. Times are microseconds since `started`, an ISO date. */
  toJSON(): Readonly<Record<string, unknown>> {
    const recorder = this.#recorder;
    return {
      started: recorder === null ? null : new Date(recorder.epoch).toISOString(),
      dropped: recorder?.span.dropped ?? 0,
      events: logJson(recorder?.events() ?? [])
    };
  }

  /** Writes the log to a file, as CSV where its name ends in `.csv`, else as JSON. */
  async save(path: string): Promise<void> {
    await writeFile(path, path.endsWith('.csv') ? this.toCsv() : JSON.stringify(this));
  }

  /** For pictures: what they are made of. */
  status(): LogStatus {
    const state = this.enabled ? 'recording' : this.#recorder === null ? 'off' : 'stopped';
    return {
      state,
      start: this.#starts,
      // Takes up what is there, for a look.
      recorder: this.#recorder ?? new Recorder(1, false, () => undefined),
      indexOf: device => {
        const known = this.#devices.indexOf(device);
        return known >= 0 ? known : this.#devices.push(device) - 1;
      },
      devices: () => this.#devices
    };
  }
}

/** The memory log of this process. */
export const memoryLog: MemoryLog = new MemoryLog();
