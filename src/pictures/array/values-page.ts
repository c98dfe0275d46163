/** A page of an array's values over its last two axes, as text. Copies to the host are bounded and reported. */

import { affordableElements } from '../kit/look-budget.ts';
import type { NDArray } from '../../array/array.ts';
import { formatScalar, readScalar } from '../../dtype/elements.ts';
import { hostArrayOver, type Scalar } from '../../dtype/host-array.ts';
import { look } from '../../core/look.ts';
import { validity } from '../../array/mask.ts';
import type { Stream } from '../../core/stream.ts';
import { readSparingly } from '../../array/transfer.ts';
import type { PageRequest, ValuesPage } from './page-schema.ts';
import { shorten } from '../../base/short-texts.ts';
import { streamToLook } from '../kit/streams.ts';

/** A masked element, as NumPy prints it. */
const MASKED = '--';
/** Maximum characters of an element's text; structured elements and strings may be long. */
const LONGEST_TEXT = 120;

type Cell = readonly [row: number, column: number];

/** Reads a page, moved inside the array and cut to a bounded size. Blocks. @throws RangeError with a sentence for a wrong index, FreedError */
export function readValues(array: NDArray, wanted: PageRequest): ValuesPage {
  return look(() => pageOf(array, wanted));
}

function pageOf(array: NDArray, wanted: PageRequest): ValuesPage {
  const { shape, ndim } = array;
  if (wanted.index !== undefined) requireIndex(array, wanted.index);
  const index = wanted.index?.slice(0, Math.max(ndim - 2, 0)) ?? wanted.leading ?? [];
  const leading = shape.slice(0, Math.max(ndim - 2, 0)).map((length, axis) => within(index[axis], length));
  const folded = ndim === 1;
  const fold = foldOf(wanted.columns);
  const [height, width] = folded
    ? [Math.ceil(array.size / fold), Math.min(array.size, fold)]
    : [shape[ndim - 2] ?? 1, shape[ndim - 1] ?? 1];
  const stream = streamToLook(array);
  const common = { height, width, leading, stream: stream.toString() };
  if (array.size === 0) return { ...common, row: 0, column: 0, cells: [], cursor: null, copiedBytes: 0 };
  const affordable = affordableElements(array);
  if (affordable === 0)
    throw new RangeError(
      `One element has ${array.dtype.itemsize} bytes, too many to show. Read it with item().`
    );
  const columns = Math.min(folded ? fold : Math.max(whole(wanted.columns), 1), width, affordable);
  const rows = Math.min(
    Math.max(whole(wanted.rows), 1),
    height,
    Math.max(1, Math.floor(affordable / columns))
  );
  const cursor = wanted.index === undefined ? null : cellOf(wanted.index, fold);
  const row = startOf(within(cursor?.[0] ?? wanted.row, height), rows);
  // The last row of a folded array may be shorter.
  const across = folded ? Math.min(fold, array.size - row * fold) : width;
  const column = startOf(within(cursor?.[1] ?? wanted.column, across), columns);
  const rowPart = `${row}:${row + rows}`;
  const first = row * fold + column;
  const columnPart = folded
    ? `${first}:${Math.min(first + (rows - 1) * fold + columns, (row + rows) * fold)}`
    : `${column}:${column + columns}`;
  const parts = folded ? [columnPart] : [...leading, rowPart, columnPart];
  using page = array.slice(...(ndim === 0 ? [] : parts));
  const { texts, copied } = textsOf(page, stream);
  const length = folded ? columns : (page.shape.at(-1) ?? 1);
  return { ...common, row, column, cells: rowsOf(texts, length), cursor, copiedBytes: copied };
}

export function rowsOf(texts: readonly string[], length: number): string[][] {
  return Array.from({ length: Math.ceil(texts.length / length) }, (_, row) =>
    texts.slice(row * length, (row + 1) * length)
  );
}

function cellOf(index: readonly number[], fold: number): Cell {
  const last = index.at(-1) ?? 0;
  return index.length === 1 ? [Math.floor(last / fold), last % fold] : [index.at(-2) ?? 0, last];
}

/** Returns the columns of a folded array: a multiple of eight, or a smaller power of two, so that row indices are round numbers. */
export function foldOf(columns: number): number {
  const most = Math.max(whole(columns), 1);
  return most >= 8 ? most - (most % 8) : 2 ** Math.floor(Math.log2(most));
}

const whole = (value: number): number => (Number.isFinite(value) ? Math.trunc(value) : 0);

function within(value: number | undefined, length: number): number {
  return Math.max(0, Math.min(whole(value ?? 0), length - 1));
}

/** Aligns a page to a multiple of its length, so that each cell is always on the same page. */
const startOf = (cell: number, length: number): number => cell - (cell % length);

export function requireIndex({ shape }: NDArray, index: readonly number[]): void {
  const inside =
    index.length === shape.length &&
    index.every((at, axis) => Number.isInteger(at) && at >= 0 && at < shape[axis]!);
  if (!inside)
    throw new RangeError(`There is no element [${index.join(', ')}] in shape (${shape.join(', ')}).`);
}

function textsOf(page: NDArray, stream: Stream): { readonly texts: string[]; readonly copied: number } {
  const { dtype, mask } = page;
  const values = readSparingly(page, stream);
  const masks = mask && readSparingly(mask, streamToLook(mask));
  const valid = mask && masks && validity(mask, masks.bytes);
  const host = hostArrayOver(dtype, values.bytes);
  const texts = Array.from({ length: page.size }, (_, index) =>
    valid?.[index] === false ? MASKED : elementText(readScalar(host, dtype, index))
  );
  return { texts, copied: values.copied + (masks?.copied ?? 0) };
}

/** Formats an element; distinguishes -0 from 0, and truncates long texts. */
export function elementText(value: Scalar): string {
  const text = Object.is(value, -0) ? '-0' : formatScalar(value);
  return shorten(text, LONGEST_TEXT);
}
