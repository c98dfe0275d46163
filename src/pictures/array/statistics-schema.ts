/** What a picture says of an array's values taken together. Pure types and constants; imports neither Node nor the DOM. */

/** Values are counted in equal parts of a range; those that have no place in it are counted apart. */
export interface HistogramDescription {
  /** Elements in each bin, lowest first; empty where no element has a place. */
  readonly counts: readonly number[];
  /** Where the first bin begins, and how wide each is; width 0 where all elements are equal. */
  readonly low: number;
  readonly width: number;
  /** Bins hold whole numbers, `width` of them each; else a bin holds its lower edge, and the last its upper one too. */
  readonly whole: boolean;
  readonly below: number;
  readonly above: number;
  readonly nan: number;
  readonly positiveInfinity: number;
  readonly negativeInfinity: number;
  /** Elements that a mask takes out. */
  readonly masked: number;
  /** The stream on which the device counted, and bytes of results that were copied to the host. */
  readonly stream: string;
  readonly copiedBytes: number;
}

export interface MeasuredStatistics {
  readonly state: 'measured';
  /** What else is to be said, on which stream the device measured, and what was copied. */
  readonly note: string;
  /** Of the finite, valid elements, as text; null where there are none. Integers are exact. */
  readonly minimum: string | null;
  readonly maximum: string | null;
  /** Null also where the sum exceeds float64. */
  readonly mean: string | null;
  readonly histogram: HistogramDescription;
  /** The memory was used since: the values may be others by now. */
  readonly stale: boolean;
}

export interface MissingStatistics {
  readonly state: 'missing';
  /** A sentence. */
  readonly reason: string;
  /** Whether measuring them on request would work. */
  readonly measurable: boolean;
}

export type StatisticsDescription = MeasuredStatistics | MissingStatistics;

/** Bins of the small histogram in the header, and of the large one. */
export const SMALL_BINS = 16;
export const LARGE_BINS = 64;
