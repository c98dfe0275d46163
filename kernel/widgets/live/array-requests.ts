/** What the page asks of an array's values: pages of them, their histogram, the bytes under them. */

import type { NDArray } from '../../../src/array.ts';
import { readWindow } from '../../../src/description/bytes-page.ts';
import type { Parameters } from '../../../src/description/live-messages.ts';
import { measureHistogram } from '../../../src/description/statistics.ts';
import { pendingStreams } from '../../../src/description/streams.ts';
import { readValues } from '../../../src/description/values-page.ts';
import type { Reply } from './live-widget.ts';

/** Requests that look at values, by method. Each takes `wait`: without it, work that is pending is told instead of waited for. */
const LOOKS: Readonly<Record<string, (array: NDArray, parameters: Parameters) => Reply | Promise<Reply>>> = {
  values: (array, { leading, row, column, rows, columns }) => ({
    content: {
      ...readValues(array, {
        leading: Array.isArray(leading) ? leading.map(Number) : [],
        row: Number(row ?? 0),
        column: Number(column ?? 0),
        rows: Number(rows ?? 1),
        columns: Number(columns ?? 1)
      })
    }
  }),
  histogram: async (array, { low, high }) => ({
    content: { ...(await measureHistogram(array, rangeOf(low, high))) }
  }),
  bytes: (array, { start, element, length }) => {
    const at = Array.isArray(element) ? offsetOf(array, element.map(Number)) : Number(start ?? 0);
    const { page, bytes } = readWindow(array, at, Number(length ?? 1));
    return { content: { ...page }, buffers: [bytes] };
  }
};

/** Undefined for a method that is not among these. @throws Error with a sentence to show */
export async function answerLook(
  array: NDArray | undefined,
  method: string,
  parameters: Parameters
): Promise<Reply | undefined> {
  const look = Object.hasOwn(LOOKS, method) ? LOOKS[method] : undefined;
  if (look === undefined) return undefined;
  if (array === undefined || array.freed) throw new Error('The memory was freed: there is nothing to read.');
  const waits = pendingStreams(array).map(String);
  if (waits.length > 0) {
    if (parameters['wait'] !== true) return { content: { waits } };
    await Promise.all([array.synchronizeAsync(), array.mask?.synchronizeAsync()]);
  }
  return look(array, parameters);
}

/** @throws RangeError with a sentence for ends that are none */
function rangeOf(low: unknown, high: unknown): readonly [number, number] | undefined {
  if (low === undefined && high === undefined) return undefined;
  const range = [Number(low), Number(high)] as const;
  if (!range.every(Number.isFinite) || range[0] >= range[1])
    throw new RangeError('A range needs two numbers, the lower one first.');
  return range;
}

/** The sixteen bytes in which an element begins. @throws RangeError with a sentence for an index outside */
function offsetOf(array: NDArray, index: readonly number[]): number {
  const inside =
    index.length === array.ndim &&
    index.every((at, axis) => Number.isInteger(at) && at >= 0 && at < (array.shape[axis] as number));
  if (!inside) throw new RangeError(`The array has no element [${index.join(', ')}].`);
  const offset = index.reduce((sum, at, axis) => sum + at * (array.strides[axis] as number), array.offset);
  return offset - (offset % 16);
}
