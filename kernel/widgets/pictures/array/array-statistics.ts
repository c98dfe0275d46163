/** Statistics of one array over its life: measured automatically after a use if that is cheap, otherwise on request. */

import type { NDArray } from '../../../../src/array/array.ts';
import { measureLater, notUnasked } from '../../../../src/pictures/array/statistics.ts';
import type { StatisticsDescription } from '../../../../src/pictures/array/statistics-schema.ts';

/** Shortest interval between automatic measurements, in ms. */
const UNASKED_PERIOD_MS = 500;

export class ArrayStatistics {
  #known: StatisticsDescription;
  /** Counts uses of the array, and tells how many there were when it was last measured. */
  #uses = 0;
  #measuredAt = 0;
  /** How many there were when measuring failed, which it would again: -1 where it did not. */
  #failedAt = -1;
  #lastTime = performance.now();
  #running = false;
  readonly #done: () => void;

  /** `done` is called when there are new ones. */
  constructor(first: StatisticsDescription, done: () => void) {
    this.#known = first;
    this.#done = done;
  }

  noteUse(): void {
    this.#uses++;
  }

  /** What is known now, or why nothing is. */
  describe(array: NDArray): StatisticsDescription {
    if (this.#known.state === 'missing') return notUnasked(array) ?? this.#known;
    const stale = this.#uses !== this.#measuredAt;
    return stale ? { ...this.#known, stale } : this.#known;
  }

  /**
   * Begins to measure where that needs no click. Gives the milliseconds after which to call again where it is too early for that, else 0.
   */
  follow(array: NDArray): number {
    const isKnown = this.#known.state === 'measured' && this.#uses === this.#measuredAt;
    if (this.#running || isKnown || this.#uses === this.#failedAt) return 0;
    if (notUnasked(array) !== null) return 0;
    const wait = this.#lastTime + UNASKED_PERIOD_MS - performance.now();
    if (wait > 0) return wait;
    void this.measure(array);
    return 0;
  }

  /** Measures now, at any size; settles when that is known. */
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
