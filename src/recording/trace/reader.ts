/** Reads what a trace recorded since the last read. */

import type { TraceProgress } from './kinds.ts';
import type { NativeTrace } from '../../native/observation-binding.ts';
import { isOpen, readRecords, type TraceEvent } from './records.ts';

/** What a reader did not know before. */
export interface TraceNews extends TraceProgress {
  /** New records, and again those that were read before their work was done; in no order. */
  readonly events: readonly TraceEvent[];
  /** The trace was started or cleared since: what was read before is not part of it. */
  readonly restarted: boolean;
  /** Whether there is more to read at once. */
  readonly more: boolean;
  /** How many of the records read so far have no times because their work is not done. */
  readonly open: number;
}

const NOTHING = new Float64Array();

export class TraceReader {
  readonly #native: () => NativeTrace | undefined;
  readonly #source: () => number;
  #epoch = 0;
  #next = 0;
  /** Numbers of records whose work was not done when they were read. */
  #open = NOTHING;

  /** `native` gives undefined before the first start. */
  constructor(native: () => NativeTrace | undefined, source: () => number) {
    this.#native = native;
    this.#source = source;
  }

  /** The number of the first record that was not read yet. */
  get next(): number {
    return this.#next;
  }

  /**
   * At most `limit` new records, and the older ones that are done by now. Never waits. While hazards are detected it does not query the
   * device, which would hide them: times follow once `Trace.read` has read them.
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

  /** The records from number `first` on, at most `limit` and none that `read` has not returned yet. */
  again(first: number, limit: number): readonly TraceEvent[] {
    const native = this.#native();
    const count = Math.min(limit, this.#next - first);
    if (native === undefined || count < 1) return [];
    const columns = native.readSince(this.#epoch, first, NOTHING, count);
    if (columns.epoch !== this.#epoch) return [];
    // It begins later where the first ones were dropped.
    return readRecords(columns, this.#source()).events.filter(({ number }) => number < this.#next);
  }
}
