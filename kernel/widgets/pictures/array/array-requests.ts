/** Answers the page's requests for an array's values: pages of values, histograms and bytes. */

import type { NDArray } from '../../../../src/array/array.ts';
import { readBytes } from '../../../../src/pictures/array/bytes-page.ts';
import type { Parameters } from '../../../../src/pictures/kit/live-messages.ts';
import type { PageRequest } from '../../../../src/pictures/array/page-schema.ts';
import { measureHistogram } from '../../../../src/pictures/array/statistics.ts';
import { pendingStreams } from '../../../../src/pictures/kit/streams.ts';
import { readValues } from '../../../../src/pictures/array/values-page.ts';
import type { Reply } from '../kit/requests.ts';

/** Requests that read values, by method. Each takes `wait`: without it, pending work is reported, not waited for. */
const LOOKS: Readonly<Record<string, (array: NDArray, parameters: Parameters) => Reply | Promise<Reply>>> = {
  values: (array, parameters) => ({ content: { ...readValues(array, pageRequest(parameters)) } }),
  bytes: (array, parameters) => ({ content: { ...readBytes(array, pageRequest(parameters)) } }),
  histogram: async (array, { low, high }) => ({
    content: { ...(await measureHistogram(array, rangeOf(low, high))) }
  })
};

/** Answers a request; undefined for an unknown method. @throws Error with a sentence to show */
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

/** Returns the range. @throws RangeError with a sentence for invalid ends */
function rangeOf(low: unknown, high: unknown): readonly [number, number] | undefined {
  if (low === undefined && high === undefined) return undefined;
  const range = [numberOf(low), numberOf(high)] as const;
  if (!range.every(Number.isFinite) || range[0] >= range[1])
    throw new RangeError('A range needs two numbers, the lower one first.');
  return range;
}

/** Returns NaN for other types: text that is not a number arrives as null, which must not become 0. */
function numberOf(value: unknown): number {
  return typeof value === 'number' ? value : NaN;
}

function pageRequest({ index, leading, row, column, rows, columns }: Parameters): PageRequest {
  const numbers = (list: unknown): number[] | undefined =>
    Array.isArray(list) ? list.map(numberOf) : undefined;
  return {
    index: numbers(index),
    leading: numbers(leading),
    row: numberOf(row),
    column: numberOf(column),
    rows: numberOf(rows),
    columns: numberOf(columns)
  };
}
