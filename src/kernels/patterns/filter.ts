/** `cuda.filter`: the elements for which a function is true. */

import { NDArray } from '../../array/array.ts';
import { ArgumentError } from '../../base/errors.ts';
import { streamFor } from '../../ops/evaluate.ts';
import type { StreamOption } from '../../array/array.ts';
import type { ElementType } from '../program/types.ts';
import type { Body } from '../launch/kernel.ts';
import { PatternBody, dtypeOf } from './body.ts';
import { scanRows } from './scan.ts';

/** A filter of arrays, from `cuda.filter`. */
export type Filter = (array: NDArray, options?: StreamOption) => NDArray;

const BLOCK = 256;
const add = new PatternBody('cuda.filter', (a: number, b: number) => a + b, 2);

/**
 * Makes a filter of a condition on an element, in the language of kernels: it returns the elements for which the condition holds, in
 * row-major order, as an array with one axis. It waits for the device, because the length depends on the values.
 * @throws ArgumentError if it is no function of one element, or its value is no boolean
 * @example const positive = cuda.filter((a: f32) => a > 0); positive(x);
 */
export function filter(condition: Body): Filter {
  const pattern = new PatternBody('cuda.filter', condition, 1);
  return (array, options = {}) => {
    const stream = streamFor([array], options);
    const element = pattern.elementOf(array, 0);
    if (pattern.resultFor([element]).element !== 'bool')
      throw new ArgumentError('cuda.filter: the function gives a number, expected a condition such as a > 0');
    if (array.size === 0) return NDArray.allocate([0], array.dtype, stream);
    using source: NDArray = (array.isRowMajor ? array : array.copy({ stream })).reshape(1, -1);
    const { size } = array;
    const shape = { grid: Math.min(Math.ceil(size / BLOCK), 65535), block: BLOCK, stream };
    using flags: NDArray = NDArray.allocate([1, size], dtypeOf('i32'), stream);
    using positions: NDArray = NDArray.allocate([1, size], dtypeOf('i32'), stream);
    pattern.kernel(flagText(element), 2).launch(shape, source, flags);
    scanRows(add, flags, positions, ['i32', 'i32'], stream);
    using last: NDArray = positions.slice(0, -1);
    const count = last.item() as number;
    const result = NDArray.allocate([count], array.dtype, stream);
    if (count > 0) pattern.kernel(moveText(element), 4).launch(shape, source, flags, positions, result);
    return result;
  };
}

function flagText(element: ElementType): string {
  return `(x: Readonly<DeviceArray<${element}, 2>>, flags: DeviceArray<i32, 2>) => {
  const step = cuda.gridSize(1);
  for (let i = cuda.grid(1); i < x.shape[1]; i += step) flags[0][i] = body(x[0][i]) ? 1 : 0;
}`;
}

function moveText(element: ElementType): string {
  return `(x: Readonly<DeviceArray<${element}, 2>>, flags: Readonly<DeviceArray<i32, 2>>, positions: Readonly<DeviceArray<i32, 2>>, out: DeviceArray<${element}>) => {
  const step = cuda.gridSize(1);
  for (let i = cuda.grid(1); i < x.shape[1]; i += step) if (flags[0][i] === 1) out[positions[0][i] - 1] = x[0][i];
}`;
}
