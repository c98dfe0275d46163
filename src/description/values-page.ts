/** A page of an array's values over its last two axes, as text. What is copied to the host is bounded and said. */

import type { NDArray } from '../array.ts';
import { formatScalar, readScalar } from '../dtype/elements.ts';
import { hostArrayOver, type Scalar } from '../dtype/host-array.ts';
import type { SliceArgument } from '../layout/slice.ts';
import { validity } from '../mask.ts';
import type { Stream } from '../stream.ts';
import { readSparingly, SPARING_WASTE, type Region } from '../transfer.ts';
import { streamToLook } from './streams.ts';

/** Bytes that a look copies to the host at most. */
export const LOOK_BYTES = 64 * 1024;
/** An element that a mask takes out, as NumPy writes it. */
export const MASKED = '--';
/** Characters of an element's text; records and strings may be long. */
const LONGEST_TEXT = 120;

export interface ValuesPage {
  /** Of the first value: indices of the leading axes, the row and the column. */
  readonly leading: readonly number[];
  readonly row: number;
  readonly column: number;
  readonly rows: readonly (readonly string[])[];
  readonly copiedBytes: number;
  readonly stream: string;
}

/** Wanted part of an array; what lies outside is moved in, and what is too much is cut. */
export interface PageRequest {
  readonly leading: readonly number[];
  readonly row: number;
  readonly column: number;
  readonly rows: number;
  readonly columns: number;
}

function clamp(value: number, most: number): number {
  return Number.isInteger(value) ? Math.min(Math.max(value, 0), Math.max(most, 0)) : 0;
}

/** Blocks until pending work is done. @throws RangeError with a sentence where a single element is too large to be copied, FreedError */
export function readValues(array: NDArray, wanted: PageRequest): ValuesPage {
  const { shape, ndim } = array;
  const [height, width] = [shape[ndim - 2] ?? 1, shape[ndim - 1] ?? 1];
  const leading = shape
    .slice(0, Math.max(ndim - 2, 0))
    .map((length, axis) => clamp(wanted.leading[axis] ?? 0, length - 1));
  const row = clamp(wanted.row, height - 1);
  const column = clamp(wanted.column, width - 1);
  const stream = streamToLook(array);
  if (array.size === 0) return { leading, row, column, rows: [], copiedBytes: 0, stream: stream.toString() };
  const affordable = affordableElements(array);
  if (affordable === 0)
    throw new RangeError(
      `One element has ${array.dtype.itemsize} bytes: too many for a look. Read it with item().`
    );
  const columns = Math.min(Math.max(clamp(wanted.columns, width - column), 1), affordable);
  const rows = Math.max(Math.min(clamp(wanted.rows, height - row), Math.floor(affordable / columns)), 1);
  const last: SliceArgument[] = [`${row}:${row + rows}`, `${column}:${column + columns}`];
  using page = ndim === 0 ? array.slice() : array.slice(...leading, ...last.slice(-Math.min(ndim, 2)));
  const { texts, copied } = textsOf(page, stream);
  return {
    leading,
    row,
    column,
    rows: Array.from({ length: rows }, (_, at) => texts.slice(at * columns, (at + 1) * columns)),
    copiedBytes: copied,
    stream: stream.toString()
  };
}

/** Elements that a look may read; 0 where one is too large already. */
export function affordableElements({ dtype, mask }: NDArray): number {
  return Math.floor(LOOK_BYTES / ((dtype.itemsize + (mask?.dtype.itemsize ?? 0)) * SPARING_WASTE));
}

function textsOf(page: NDArray, stream: Stream): { readonly texts: string[]; readonly copied: number } {
  const { dtype, mask } = page;
  const values = readSparingly(regionOf(page), stream);
  const masks = mask === null ? null : readSparingly(regionOf(mask), streamToLook(mask));
  const valid = mask === null || masks === null ? null : validity(mask, masks.bytes);
  const host = hostArrayOver(dtype, values.bytes);
  const texts = Array.from({ length: page.size }, (_, index) =>
    valid?.[index] === false ? MASKED : elementText(readScalar(host, dtype, index))
  );
  return { texts, copied: values.copied + (masks?.copied ?? 0) };
}

function regionOf({ storage, dtype, shape, strides, offset }: NDArray): Region {
  return { storage, dtype, shape, strides, offset };
}

/** Tells -0 from 0; cut where it is long. */
export function elementText(value: Scalar): string {
  const text = Object.is(value, -0) ? '-0' : formatScalar(value);
  return text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT - 1)}…` : text;
}
