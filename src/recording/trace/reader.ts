/** Reads the records added to a trace since the last read. */

import type { TraceProgress } from './kinds.ts';
import type { NativeTrace } from '../../native/observation-binding.ts';
import { isOpen, readRecords, type TraceEvent } from './records.ts';

/** Records that are new to a reader. */
export interface TraceNews extends TraceProgress {
  /** New records, and completed ones that were read before their work was complete; unordered. */
  readonly events: readonly TraceEvent[];
  /** The trace was started or cleared since the last read: earlier records are not part of it. */
  readonly restarted: boolean;
  /** Whether more records can be read immediately. */
  readonly more: boolean;
  /** Number of records read so far without times, because their work is not complete. */
  readonly open: number;
}

const NOTHING = new Float64Array();

export class TraceReader {
  readonly #native: () => NativeTrace | undefined;
  readonly #source: () => number;
  #epoch = 0;
  #next = 0;
  /** Numbers of records whose work was not complete when they were read. */
  #open = NOTHING;

  /** `native` returns undefined before the first start. */
  constructor(native: () => NativeTrace | undefined, source: () => number) {
    this.#native = native;
    this.#source = source;
  }

  /** The number of the first unread record. */
  get next(): number {
    return this.#next;
  }

  /**
   * Reads at most `limit` new records, and older ones completed since. Never waits. While hazards are detected it does
   * not query the device, which would hide them: times follow once `Trace.read` has read them.
   */
  read(limit: number): TraceNews {
    const native = this.#native();
    if (native === undefined)
      return {
        events: [],
        epoch: 0,
        restarted: false,
        recording: false,
        added: 0,
        dropped: 0,
        more: false,
        open: 0
      };
    const columns = native.readSince(this.#epoch, this.#next, this.#open, limit);
    const { epoch, added, dropped } = columns;
    const restarted = epoch !== this.#epoch;
    if (restarted) {
      this.#epoch = epoch;
      this.#next = 0;
      this.#open = NOTHING;
    }
    const { events } = readRecords(columns, this.#source());
    const told = new Set(events.map(({ number }) => number));
    const stillOpen = this.#open.filter(number => number >= dropped && !told.has(number));
    const newlyOpen = events.flatMap(({ number }, index) => (isOpen(columns, index) ? [number] : []));
    this.#open = Float64Array.from([...stillOpen, ...newlyOpen]);
    this.#next = Math.max(this.#next, dropped, (events.at(-1)?.number ?? -1) + 1);
    return {
      events,
      epoch,
      restarted,
      recording: native.enabled(),
      added,
      dropped,
      more: this.#next < added,
      open: this.#open.length
    };
  }

  /** Returns the records from number `first` on, at most `limit` and only those that `read` has returned. */
  again(first: number, limit: number): readonly TraceEvent[] {
    const native = this.#native();
    const count = Math.min(limit, this.#next - first);
    if (native === undefined || count < 1) return [];
    const columns = native.readSince(this.#epoch, first, NOTHING, count);
    if (columns.epoch !== this.#epoch) return [];
    // Starts later if the first ones were dropped.
    return readRecords(columns, this.#source()).events.filter(({ number }) => number < this.#next);
  }
}
