/** A page of the memory under an array: its bytes, and the array's elements that they belong to. */

import { LOOK_BYTES } from '../kit/look-budget.ts';
import type { NDArray } from '../../array/array.ts';
import type { DType } from '../../dtype/dtype.ts';
import { readScalar } from '../../dtype/elements.ts';
import { hostArrayOver } from '../../dtype/host-array.ts';
import { placementsIn } from '../../layout/byte-map.ts';
import { look } from '../../core/look.ts';
import { BYTES_ROW, type BytesPage, type NumberLayout, type PageRequest } from './page-schema.ts';
import { streamToLook } from '../kit/streams.ts';
import { elementText, requireIndex, rowsOf } from './values-page.ts';

/** Maximum number of elements per page; if many share bytes, the rest is omitted. */
const MOST_ELEMENTS = 1024;

/** Reads rows of sixteen bytes, and the elements in them. Blocks. @throws RangeError for an index out of range or no memory, FreedError */
export function readBytes(array: NDArray, wanted: PageRequest): BytesPage {
  return look(() => pageOf(array, wanted));
}

function pageOf(array: NDArray, wanted: PageRequest): BytesPage {
  const { storage, dtype, shape, strides, offset: first } = array;
  const { itemsize } = dtype;
  if (storage.bytes === 0) throw new RangeError('The array has no memory: there are no bytes to show.');
  if (wanted.index !== undefined) requireIndex(array, wanted.index);
  const element = wanted.index?.reduce((sum, at, axis) => sum + at * strides[axis]!, first);
  const height = Math.ceil(storage.bytes / BYTES_ROW);
  const rows = Math.max(1, Math.min(Math.trunc(wanted.rows) || 1, LOOK_BYTES / 4 / BYTES_ROW));
  const target = element === undefined ? Math.trunc(wanted.row ?? 0) || 0 : Math.floor(element / BYTES_ROW);
  const held = Math.max(0, Math.min(target, height - 1));
  const row = held - (held % rows);
  const start = row * BYTES_ROW;
  const end = Math.min(start + rows * BYTES_ROW, storage.bytes);
  // An element may begin before the page and end after it; very long elements are not completed.
  const margin = itemsize <= LOOK_BYTES / 4 ? itemsize - 1 : 0;
  const from = Math.max(0, start - margin);
  const read = new Uint8Array(Math.min(storage.bytes, end + margin) - from);
  const stream = streamToLook(array);
  storage.readToHost(from, read, stream);
  const valueAt = (offset: number): string => {
    const at = offset - from;
    if (at < 0 || at + itemsize > read.length) return '…';
    return elementText(readScalar(hostArrayOver(dtype, read.slice(at, at + itemsize).buffer), dtype, 0));
  };
  const digits = Array.from(read.subarray(start - from, end - from), byte =>
    byte.toString(16).padStart(2, '0')
  );
  const elements = placementsIn({ shape, strides, itemsize, offset: first }, start, end, MOST_ELEMENTS);
  return {
    height,
    width: BYTES_ROW,
    row,
    column: 0,
    cells: rowsOf(digits, BYTES_ROW),
    cursor: element === undefined ? null : [Math.floor(element / BYTES_ROW), element % BYTES_ROW],
    address: `0x${storage.pointer.toString(16)}`,
    elements: elements.map(({ offset, index }) => [offset, index, valueAt(offset)]),
    number: numberLayout(dtype),
    copiedBytes: read.length,
    stream: stream.toString()
  };
}

type Widths = readonly [sign: number, exponent: number, bias: number];

const FLOATS: Readonly<Record<string, Widths>> = {
  float16: [1, 5, 15],
  bfloat16: [1, 8, 127],
  float32: [1, 8, 127],
  float64: [1, 11, 1023],
  float8_e8m0fnu: [0, 8, 127]
};

/** Returns the layout of a number type; null for types that are not numbers of whole bytes. */
export function numberLayout({ name, kind, itemsize, lanes, bits }: DType): NumberLayout | null {
  if (lanes > 1 || bits < 8 * itemsize || !'biufc'.includes(kind)) return null;
  if (kind === 'c') return { ...numberOf(`float${itemsize * 4}`), bytes: itemsize / 2 };
  if (kind === 'f') return { ...numberOf(name), bytes: itemsize };
  return { bytes: itemsize, sign: 0, exponent: 0, bias: 0 };
}

/** Parses the names of 8-bit formats: `float8_e4m3b11fnuz` has bias 11, `fnuz` alone one more than usual (ml_dtypes). */
function numberOf(name: string): Omit<NumberLayout, 'bytes'> {
  const [sign, exponent, bias] = FLOATS[name] ?? smallFloat(name);
  return { sign, exponent, bias };
}

function smallFloat(name: string): Widths {
  const [, exponent = '0', bias, fnuz] = /^float8_e(\d)m\d(?:b(\d+))?(fnuz)?/.exec(name) ?? [];
  const usual = 2 ** (Number(exponent) - 1) - 1;
  return [1, Number(exponent), Number(bias ?? (fnuz === undefined ? usual : usual + 1))];
}
