/** Statistics of one array over its life: measured automatically after a use if that is cheap, otherwise on request. */

import type { NDArray } from '../../../../src/array/array.ts';
import { measureLater, notAutomatic } from '../../../../src/pictures/array/statistics.ts';
import type { StatisticsDescription } from '../../../../src/pictures/array/statistics-schema.ts';

/** Shortest interval between automatic measurements, in ms. */
const UNASKED_PERIOD_MS = 500;

export class ArrayStatistics {
  #known: StatisticsDescription;
  /** Number of uses of the array, to compare with the number at the last measurement. */
  #uses = 0;
  #measuredAt = 0;
  /** Number of uses at a failed measurement, which would fail again; -1 if none failed. */
  #failedAt = -1;
  #lastTime = performance.now();
  #running = false;
  readonly #done: () => void;

  /** Constructs the statistics. `done` is called when there are new ones. */
  constructor(first: StatisticsDescription, done: () => void) {
    this.#known = first;
    this.#done = done;
  }

  noteUse(): void {
    this.#uses++;
  }

  /** Returns the current statistics, or the reason why there are none. */
  describe(array: NDArray): StatisticsDescription {
    if (this.#known.state === 'missing') return notAutomatic(array) ?? this.#known;
    const stale = this.#uses !== this.#measuredAt;
    return stale ? { ...this.#known, stale } : this.#known;
  }

  /** Measures automatically if allowed. Returns the milliseconds to wait if it is too early, else 0. */
  follow(array: NDArray): number {
    const isKnown = this.#known.state === 'measured' && this.#uses === this.#measuredAt;
    if (this.#running || isKnown || this.#uses === this.#failedAt) return 0;
    if (notAutomatic(array) !== null) return 0;
    const wait = this.#lastTime + UNASKED_PERIOD_MS - performance.now();
    if (wait > 0) return wait;
    void this.measure(array);
    return 0;
  }

  /** Measures now, at any size; settles when the result is known. */
  async measure(array: NDArray): Promise<void> {
    const uses = this.#uses;
    this.#running = true;
    try {
      const known = await measureLater(array);
      this.#known = known;
      this.#measuredAt = uses;
      this.#failedAt = known.state === 'missing' && known.measurable ? uses : -1;
    } finally {
      this.#running = false;
      this.#lastTime = performance.now();
    }
    this.#done();
  }
}
