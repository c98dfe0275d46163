/** Statistics of an array's values in a picture. Pure types and constants; imports neither Node nor the DOM. */

/** A histogram over equal parts of a range; values outside, NaN and infinities are counted separately. */
export interface HistogramDescription {
  /** Elements in each bin, lowest first; empty if no element is in the range. */
  readonly counts: readonly number[];
  /** Start of the first bin, and the width of each; width 0 if all elements are equal. */
  readonly low: number;
  readonly width: number;
  /** Whether bins contain `width` whole numbers each; otherwise a bin includes its lower edge, and the last one its upper edge too. */
  readonly whole: boolean;
  readonly below: number;
  readonly above: number;
  readonly nan: number;
  readonly positiveInfinity: number;
  readonly negativeInfinity: number;
  readonly masked: number;
  /** The stream on which the device counted, and the bytes of results copied to the host. */
  readonly stream: string;
  readonly copiedBytes: number;
}

export interface MeasuredStatistics {
  readonly state: 'measured';
  /** A remark, the stream of the measurement, and the copied bytes. */
  readonly note: string;
  /** Extremes of the finite, valid elements, as text; null if there are none. Integers are exact. */
  readonly minimum: string | null;
  readonly maximum: string | null;
  /** Mean of the finite elements; null also if the sum exceeds float64. */
  readonly mean: string | null;
  readonly histogram: HistogramDescription;
  /** The memory was used since: the values may have changed. */
  readonly stale: boolean;
}

export interface MissingStatistics {
  readonly state: 'missing';
  /** The reason as a sentence. */
  readonly reason: string;
  /** Whether measuring on request would succeed. */
  readonly measurable: boolean;
}

export type StatisticsDescription = MeasuredStatistics | MissingStatistics;

/** Bins of the small histogram in the header, and of the large one. */
export const SMALL_BINS = 16;
export const LARGE_BINS = 64;
