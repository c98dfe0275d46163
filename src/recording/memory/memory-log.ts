/** Log of allocations and frees: who, when and where, in a ring buffer. While it is off, each costs one check of a variable. */

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
  /** Number of events kept, 65,536 by default; the oldest are dropped and counted. */
  readonly capacity?: number;
  /** Whether the stack of each allocation is recorded, which costs some microseconds each. Default true. */
  readonly stacks?: boolean;
}

/** One event. `kind` determines its subject: an allocation, a failure, or a segment of a pool. */
export type MemoryEvent = { readonly number: number; readonly time: number } & (
  | { readonly kind: 'allocate' | 'free' | 'borrow' | 'return'; readonly subject: LoggedAllocation }
  | { readonly kind: 'failure'; readonly subject: LoggedFailure }
  | { readonly kind: 'segment' | 'segment-free'; readonly subject: LoggedSegment }
);

export interface MemoryLogRecords extends Recorded<MemoryEvent> {
  /** Live allocations, including those made before the log or by dropped events. */
  readonly alive: readonly LoggedAllocation[];
}

/** State of a log at one moment. */
export interface LogStatus {
  readonly state: MemoryLogState;
  /** Number of starts. */
  readonly start: number;
  /** The recorder; for a log that was never started, one that contains only the current allocations. */
  readonly recorder: Recorder;
  /** Returns the index of a device among those of a picture. */
  readonly indexOf: (device: Device) => number;
  readonly devices: () => readonly Device[];
}

const DEFAULT_CAPACITY = 65_536;

/** Records memory use; the process has one instance, `memoryLog`. It covers this library's memory managers. */
export class MemoryLog extends Recording<MemoryLogOptions, MemoryLogRecords> {
  /** Returns the notebook's display of the log: memory use by owner, over time, and live allocations. */
  declare readonly [DISPLAY_METHOD]: () => MimeBundle;
  #recorder: Recorder | null = null;
  /** Start time on the program's clock. */
  #began = 0;
  #starts = 0;
  readonly #devices: Device[] = [];

  /** Whether allocations are being recorded. */
  override get enabled(): boolean {
    return memoryObserver.current !== null && memoryObserver.current === this.#recorder;
  }

  /**
   * Starts recording, after dropping earlier records; a log that is on restarts. Earlier allocations of the managers
   * are included, without their origin; pending frees are awaited first. Returns the log; disposing it stops the recording.
   * @throws ArgumentError
   * @example using log = memoryLog.start();
   */
  override start({ capacity = DEFAULT_CAPACITY, stacks = true }: MemoryLogOptions = {}): this {
    requireCapacity('memoryLog.start', capacity);
    // Otherwise disposed blocks would be recorded as live, and then as freed again.
    native().drainReleases(true);
    this.#began = performance.now();
    this.#recorder = new Recorder(capacity, stacks, () => this.changed());
    this.#starts++;
    memoryObserver.current = this.#recorder;
    this.changed();
    return this;
  }

  /** Stops recording and keeps the records. */
  override stop(): void {
    if (!this.enabled) return;
    memoryObserver.current = null;
    this.changed();
  }

  /** Drops the events; live allocations stay known, and recording continues if it is on. */
  override clear(): void {
    this.#recorder?.clear();
  }

  /** Returns the records so far. */
  override read(): MemoryLogRecords {
    const recorder = this.#recorder;
    if (recorder === null) return { events: [], alive: [], dropped: 0 };
    return {
      events: recorder.events() as readonly LogEvent[] as readonly MemoryEvent[],
      alive: recorder.alive(),
      dropped: recorder.span.dropped
    };
  }

  /** Returns the log in RMM's CSV format: a row for each allocation, free and failure of a device, or of all if none is given. */
  toCsv(device?: DeviceLike): string {
    const only = device === undefined ? undefined : toDevice(device);
    const all = this.#recorder?.events() ?? [];
    const events = only === undefined ? all : all.filter(({ subject }) => subject.device === only);
    return rmmCsv(events, this.#began);
  }

  /** Returns every event as plain data. Times are microseconds since `started`, an ISO date. */
  toJSON(): Readonly<Record<string, unknown>> {
    const recorder = this.#recorder;
    return {
      started: recorder === null ? null : new Date(recorder.epoch).toISOString(),
      dropped: recorder?.span.dropped ?? 0,
      events: logJson(recorder?.events() ?? [])
    };
  }

  /** Writes the log to a file, as CSV if its name ends in `.csv`, otherwise as JSON. */
  async save(path: string): Promise<void> {
    await writeFile(path, path.endsWith('.csv') ? this.toCsv() : JSON.stringify(this));
  }

  /** Returns the log's state for pictures. */
  status(): LogStatus {
    const state = this.enabled ? 'recording' : this.#recorder === null ? 'off' : 'stopped';
    return {
      state,
      start: this.#starts,
      // A temporary recorder that contains the current allocations.
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
