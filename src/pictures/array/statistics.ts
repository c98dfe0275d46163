/** Statistics and histograms of arrays as JSON: which arrays can be measured, which automatically, and the results. */

import type { NDArray } from '../../array/array.ts';
import { formatScalar } from '../../dtype/elements.ts';
import { DTypeError } from '../../base/errors.ts';
import { look } from '../../core/look.ts';
import { elementTypeOf, isComplex } from '../../compute/program/promotion.ts';
import type { Stream } from '../../core/stream.ts';
import { pendingStreams, streamToLook } from '../kit/streams.ts';
import { APART, submitMeasurement, type Measured, type Measurement } from './measurement.ts';
import {
  LARGE_BINS,
  SMALL_BINS,
  type HistogramDescription,
  type MeasuredStatistics,
  type MissingStatistics,
  type StatisticsDescription
} from './statistics-schema.ts';

/** Maximum elements of an idle array that is measured automatically, on a GPU and on the simulated device. */
const MOST_AUTOMATIC = 2 ** 26;
const MOST_AUTOMATIC_SIMULATED = 2 ** 18;

/** Returns why an array has no statistics; null if they can be measured. Never waits. */
function obstacleTo(array: NDArray): string | null {
  if (array.freed) return 'The memory was freed.';
  if (array.size === 0) return 'The array has no elements.';
  try {
    elementTypeOf(array.dtype);
  } catch (error) {
    if (error instanceof DTypeError) return `No statistics: ${error.message}.`;
    throw error;
  }
  const stream = look(() => streamToLook(array));
  if (stream.destroyed) return 'The stream of the array is destroyed.';
  if (stream.capturing) return `${stream.toString()} is being captured for a graph.`;
  return null;
}

function missing(reason: string, measurable: boolean): MissingStatistics {
  return { state: 'missing', reason, measurable };
}

/** Returns null if an array may be measured automatically; otherwise what replaces its statistics. Never waits. */
export function notAutomatic(array: NDArray): MissingStatistics | null {
  const obstacle = obstacleTo(array);
  if (obstacle !== null) return missing(obstacle, false);
  const waits = pendingStreams(array);
  if (waits.length > 0)
    return missing(`Not measured: it would wait for ${waits.map(String).join(', ')}.`, true);
  const most = array.device.simulated ? MOST_AUTOMATIC_SIMULATED : MOST_AUTOMATIC;
  if (array.size > most)
    return missing(`Statistics are off for arrays over ${most / 2 ** 10} Ki elements.`, true);
  return null;
}

/** Measures the header's statistics on the device; blocks until they are ready. Never throws. */
export function measureNow(array: NDArray): StatisticsDescription {
  const refused = notAutomatic(array);
  if (refused !== null) return refused;
  try {
    const { measurement, stream } = submitOn(array, SMALL_BINS);
    return statisticsOf(array, measurement.read(), stream);
  } catch (error) {
    return failed(error);
  }
}

/** Measures an array of any size without blocking JavaScript; the device waits for pending work. */
export async function measureLater(array: NDArray): Promise<StatisticsDescription> {
  const obstacle = obstacleTo(array);
  if (obstacle !== null) return missing(obstacle, false);
  try {
    const { measurement, stream } = submitOn(array, SMALL_BINS);
    return statisticsOf(array, await measurement.readAsync(), stream);
  } catch (error) {
    return failed(error);
  }
}

/** Counts elements in 64 bins over `range` (both ends inclusive) or the extremes. @throws Error with a sentence if that is impossible */
export async function measureHistogram(
  array: NDArray,
  range?: readonly [low: number, high: number]
): Promise<HistogramDescription> {
  const obstacle = obstacleTo(array);
  if (obstacle !== null) throw new Error(obstacle);
  const wanted = range !== undefined && isWhole(array) ? wholeRange(range) : range;
  const { measurement, stream } = submitOn(array, LARGE_BINS, wanted);
  return histogramOf(array, await measurement.readAsync(), LARGE_BINS, stream, wanted);
}

function submitOn(
  array: NDArray,
  bins: number,
  range?: readonly [number, number]
): { readonly measurement: Measurement; readonly stream: Stream } {
  const stream = look(() => streamToLook(array));
  return { measurement: submitMeasurement(array, { bins, range, stream }), stream };
}

function failed(error: unknown): MissingStatistics {
  return missing(`Not measured: ${error instanceof Error ? error.message : String(error)}`, true);
}

const isWhole = ({ dtype }: NDArray): boolean => 'biu'.includes(dtype.kind);

/** Limits a range: no integer exceeds 2^64, and an infinite span would leave the bins without a width. */
function wholeRange([low, high]: readonly [number, number]): readonly [number, number] {
  const bounded = (end: number): number => Math.max(-(2 ** 64), Math.min(end, 2 ** 64));
  return [bounded(Math.ceil(low)), bounded(Math.floor(high))];
}

function statisticsOf(array: NDArray, measured: Measured, stream: Stream): MeasuredStatistics {
  const histogram = histogramOf(array, measured, SMALL_BINS, stream);
  const count = histogram.counts.reduce((total, each) => total + each, 0);
  const any = count > 0;
  const bool = array.dtype.kind === 'b';
  const extreme = (value: Measured['minimum']): string | null =>
    any ? formatScalar(bool ? value !== 0 : value) : null;
  return {
    state: 'measured',
    note: noteOf(array, histogram, any, measured.sum),
    minimum: extreme(measured.minimum),
    maximum: extreme(measured.maximum),
    mean: any && Number.isFinite(measured.sum) ? formatScalar(measured.sum / count) : null,
    histogram,
    stale: false
  };
}

function noteOf(array: NDArray, histogram: HistogramDescription, any: boolean, sum: number): string {
  const { masked, stream, copiedBytes } = histogram;
  return [
    ...(isComplex(elementTypeOf(array.dtype)) ? ['of magnitudes'] : []),
    ...(any ? [] : ['no finite value']),
    ...(any && !Number.isFinite(sum) ? ['the sum exceeds float64'] : []),
    ...(masked > 0 ? [`${masked} masked`] : []),
    `measured on ${stream}, ${copiedBytes} B copied`
  ].join(' · ');
}

function histogramOf(
  array: NDArray,
  { minimum, maximum, counts, copiedBytes }: Measured,
  bins: number,
  stream: Stream,
  range?: readonly [number, number]
): HistogramDescription {
  const [low, high] = range ?? [Number(minimum), Number(maximum)];
  const apart = Object.fromEntries(APART.map((name, at) => [name, counts[bins + at]]));
  const whole = isWhole(array);
  const found = range !== undefined || counts.slice(0, bins).some(count => count > 0);
  const { width, used } = found ? binsBetween(low, high, bins, whole) : { width: 0, used: 0 };
  return {
    counts: counts.slice(0, used),
    low: found ? low : 0,
    width,
    whole,
    ...(apart as Record<(typeof APART)[number], number>),
    masked: array.size - counts.reduce((total, count) => total + count, 0),
    stream: stream.toString(),
    copiedBytes
  };
}

/** Returns the width of the bins, and how many of them are in the range, by the arithmetic of the device. */
function binsBetween(
  low: number,
  high: number,
  bins: number,
  whole: boolean
): { readonly width: number; readonly used: number } {
  if (!whole)
    return high * 0.5 > low * 0.5
      ? { width: ((high * 0.5 - low * 0.5) / bins) * 2, used: bins }
      : { width: 0, used: 1 };
  const width = Math.max(1, Math.ceil((high - low + 1) / bins));
  return { width, used: Math.min(bins, Math.floor((high - low) / width) + 1) };
}
