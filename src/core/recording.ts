/** The interface of all recorders: `trace`, `memoryLog`, `exchanges` and `hazards`. */

import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';

export interface RecordingOptions {
  /** The number of records that are kept; older ones are dropped and counted. */
  readonly capacity?: number;
}

/** The records of a recorder. Times of events are microseconds since the recording began. */
export interface Recorded<Event> {
  /** The records, oldest first. */
  readonly events: readonly Event[];
  /** The number of older events that were dropped to make room. */
  readonly dropped: number;
}

/**
 * A recorder of the process. It has almost no overhead until it is started, and does not affect what it
 * records. Displaying an array or a stream is never recorded.
 */
export abstract class Recording<Options, Records extends Recorded<unknown>> implements Disposable {
  readonly #listeners = new Set<() => void>();

  /** Whether the recorder is recording. */
  abstract get enabled(): boolean;

  /**
   * Starts or restarts recording, after dropping earlier records. Returns the recorder, whose disposal stops it.
   * @throws ArgumentError for options that are out of range
   */
  abstract start(options?: Options): this;

  /** Stops recording and keeps the records. */
  abstract stop(): void;

  /** Drops the records; recording continues if it is on. */
  abstract clear(): void;

  /** Returns the records so far. */
  abstract read(): Records;

  /** Calls `listener` when there are new records; returns a function that removes it. A listener must not allocate. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  [Symbol.dispose](): void {
    this.stop();
  }

  protected changed(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Checks a capacity. @throws ArgumentError for anything but an integer above 0 */
export function requireCapacity(caller: string, capacity: unknown): number {
  if (Number.isSafeInteger(capacity) && (capacity as number) >= 1) return capacity as number;
  throw new ArgumentError(`${caller}: capacity is ${textOf(capacity)}, expected a whole number above 0`);
}
