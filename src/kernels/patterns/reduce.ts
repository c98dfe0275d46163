/** `cuda.reduce`: combines the elements of arrays by a function of two. */

import { NDArray } from '../../array/array.ts';
import { ArgumentError, ValueError } from '../../base/errors.ts';
import { textOf } from '../../base/value-text.ts';
import type { Stream } from '../../core/stream.ts';
import { reducedShape, toAxes } from '../../compute/program/axes.ts';
import { resultOf, streamFor } from '../../ops/evaluate.ts';
import type { ReductionOptions } from '../../ops/reductions.ts';
import { ELEMENTS, isFloat, isWide, type ElementType } from '../program/types.ts';
import type { Body } from '../launch/kernel.ts';
import { PatternBody, dtypeOf } from './body.ts';
import { rowsOf } from './rows.ts';

/** A reduction of arrays, from `cuda.reduce`. */
export type Reduction = (array: NDArray, options?: ReductionOptions) => NDArray;

type Initial = number | bigint | boolean;

const BLOCK = 256;
/** Elements that a block should have before a row is split among several. */
const PER_BLOCK = 8192;
const MOST_PARTS = 1024;
/** Shorter rows are reduced by one thread each. */
const SHORT = 64;

/**
 * Makes a reduction of a function of two elements, in the language of kernels. The function must be associative and commutative: the order
 * in which elements meet is not defined, but the same for equal shapes.
 * @param initial what every result starts with, which an array without elements needs
 * @throws ArgumentError if it is no function of two elements
 * @example const norm = cuda.reduce((a: f32, b: f32) => Math.max(Math.abs(a), Math.abs(b)), 0); norm(x, { axis: 1 });
 */
export function reduce(body: Body, initial?: Initial): Reduction {
  const pattern = new PatternBody('cuda.reduce', body, 2);
  return (array, options = {}) => {
    const axes = toAxes(options.axis, array.ndim);
    const shape = reducedShape(array.shape, axes, options.keepDims ?? false);
    const stream = streamFor([array], options);
    const element = pattern.elementOf(array, 0);
    const { element: result } = pattern.resultFor([element, element]);
    const start = initial === undefined ? '' : startText(initial, result);
    return resultOf({ ...options, shape, dtype: dtypeOf(result), stream, inputs: [array] }, out => {
      using rows: NDArray = rowsOf(array, axes, stream);
      if (rows.shape[1] === 0 && start === '')
        throw new ValueError('cuda.reduce: no elements, and no initial value: pass one as second argument');
      using target: NDArray = out.reshape(rows.shape[0]!, 1);
      reduceRows(pattern, rows, target, [element, result], start, stream);
    });
  };
}

/** Writes the initial value for the source of a kernel. @throws ArgumentError for one that the results cannot be */
function startText(initial: Initial, result: ElementType): string {
  const { value, dtype } = ELEMENTS[result];
  const expected = value === 'bool' ? 'boolean' : isWide(value) ? 'bigint' : 'number';
  const whole = expected !== 'number' || isFloat(value) || Number.isInteger(initial);
  if (typeof initial !== expected || !whole)
    throw new ArgumentError(
      `cuda.reduce: the initial value is ${textOf(initial)}, expected a ${whole ? '' : 'whole '}${expected}, because results are ${dtype}`
    );
  // A fraction alone would be f32.
  return `${result === 'f64' ? 'f64' : ''}(${initial}${expected === 'bigint' ? 'n' : ''})`;
}

/** Reduces rows: long ones in parts, whose results are reduced again. */
function reduceRows(
  pattern: PatternBody,
  rows: NDArray,
  out: NDArray,
  [element, result]: readonly [ElementType, ElementType],
  start: string,
  stream: Stream
): void {
  const [count, length] = rows.shape as readonly [number, number];
  const wanted = Math.ceil(length / PER_BLOCK);
  const parts = Math.max(1, Math.min(wanted, MOST_PARTS, Math.floor((4 * MOST_PARTS) / count)));
  if (parts === 1) {
    const byThread =
      length <= SHORT || (count >= 4096 && Math.abs(rows.strides[0]!) < Math.abs(rows.strides[1]!));
    const text = byThread ? threadText(element, result, start) : blockText(element, result, start);
    const grid = byThread ? Math.ceil(count / BLOCK) : ([count, 1] as const);
    pattern.kernel(text, 2).launch({ grid, block: BLOCK, stream }, rows, out);
    return;
  }
  // Parts are kept as values, so that narrow elements are rounded once.
  const value = ELEMENTS[result].value;
  using partial: NDArray = NDArray.allocate([count, parts], dtypeOf(value), stream);
  pattern
    .kernel(blockText(element, value, ''), 2)
    .launch({ grid: [count, parts], block: BLOCK, stream }, rows, partial);
  reduceRows(pattern, partial, out, [value, result], start, stream);
}

const finish = (start: string, value: string): string => (start === '' ? value : `body(${start}, ${value})`);

/** A thread for each row. */
function threadText(element: ElementType, result: ElementType, start: string): string {
  const { value } = ELEMENTS[result];
  const empty = start === '' ? '' : `if (length === 0) out[row][0] = ${start};\n  else `;
  return `(x: Readonly<DeviceArray<${element}, 2>>, out: DeviceArray<${result}, 2>) => {
  const row = cuda.grid(1);
  if (row >= x.shape[0]) return;
  const length = x.shape[1];
  ${empty}{
    let sum = ${value}(x[row][0]);
    for (let j = 1; j < length; j++) sum = body(sum, x[row][j]);
    out[row][0] = ${finish(start, 'sum')};
  }
}`;
}

/** A block for each part of a row. */
function blockText(element: ElementType, result: ElementType, start: string): string {
  const { value } = ELEMENTS[result];
  return `(x: Readonly<DeviceArray<${element}, 2>>, out: DeviceArray<${result}, 2>) => {
  const shared = cuda.shared(${value}, ${BLOCK});
  const row = cuda.blockIdx.x;
  const part = cuda.blockIdx.y;
  const t = cuda.threadIdx.x;
  const length = x.shape[1];
  const step = cuda.gridDim.y * ${BLOCK};
  const first = part * ${BLOCK} + t;
  if (first < length) {
    let sum = ${value}(x[row][first]);
    for (let j = first + step; j < length; j += step) sum = body(sum, x[row][j]);
    shared[t] = sum;
  }
  cuda.syncThreads();
  const count = Math.min(length - part * ${BLOCK}, ${BLOCK});
  for (let half = ${BLOCK / 2}; half > 0; half = half >> 1) {
    if (t + half < count && t < half) shared[t] = body(shared[t], shared[t + half]);
    cuda.syncThreads();
  }
  if (t === 0) out[row][part] = ${finish(start, 'shared[0]')};
}`;
}
