/** What everything that records has in common: `trace`, `memoryLog`, `exchanges` and `hazards`. */

import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';

export interface RecordingOptions {
  /** How many records are kept: the oldest go first, and are counted. */
  readonly capacity?: number;
}

/** What was recorded. Times of events are microseconds since the recording began. */
export interface Recorded<Event> {
  /** Oldest first. */
  readonly events: readonly Event[];
  /** How many older events were dropped because there was no room. */
  readonly dropped: number;
}

/**
 * A recorder of the process. It costs next to nothing until it is started, and changes nothing about what it records. Looking at an array
 * or a stream is never recorded.
 */
export abstract class Recording<Options, Records extends Recorded<unknown>> implements Disposable {
  readonly #listeners = new Set<() => void>();

  /** Whether it records now. */
  abstract get enabled(): boolean;

  /**
   * Begins to record, after dropping what was recorded; one that is on starts again. Returns the recorder itself, whose disposal stops it.
   * @throws ArgumentError for options that are out of range
   */
  abstract start(options?: Options): this;

  /** Ends recording and keeps what was recorded. */
  abstract stop(): void;

  /** Drops what was recorded; recording continues if it is on. */
  abstract clear(): void;

  /** What was recorded so far. */
  abstract read(): Records;

  /** Calls `listener` when there is something new to read; returns the call that ends it. A listener must not allocate. */
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

/** @throws ArgumentError for anything but a whole number above 0 */
export function requireCapacity(caller: string, capacity: unknown): number {
  if (Number.isSafeInteger(capacity) && (capacity as number) >= 1) return capacity as number;
  throw new ArgumentError(
    `${caller}: capacity ${textOf(capacity)} is not a number of records; give a whole number above 0`
  );
}
