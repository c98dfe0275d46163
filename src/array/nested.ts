/** Elements as nested arrays. */

import type { NDArray, StreamOption } from './array.ts';
import { ShapeError } from '../base/errors.ts';
import { readScalar } from '../dtype/elements.ts';
import type { Scalar } from '../dtype/host-array.ts';
import { formatShape, toShape, type Shape } from '../layout/shape.ts';
import { readMask } from './mask.ts';

/** Elements as nested arrays, nested as deep as the array has axes: a bare value for a 0-d array, null for masked elements. */
export type Nested = Scalar | null | readonly Nested[];

/** Nested arrays of values, nested as deep as the new array has axes; every element needs a value. */
export type NestedValues = Scalar | readonly NestedValues[];

export function readNested(array: NDArray, options: StreamOption): Nested {
  const { dtype, shape, mask } = array;
  const host = array.toTypedArray(options);
  const valid = mask && readMask(mask);
  let next = 0;
  const build = (axis: number): Nested => {
    if (axis < shape.length) return Array.from({ length: shape[axis]! }, () => build(axis + 1));
    const index = next++;
    return valid?.[index] === false ? null : readScalar(host, dtype, index);
  };
  return build(0);
}

/** Returns the shape of nested arrays, by their first elements. */
export function nestedShape(data: NestedValues): Shape {
  const shape: number[] = [];
  let level: NestedValues | undefined = data;
  while (Array.isArray(level)) {
    shape.push(level.length);
    level = (level as readonly NestedValues[])[0];
  }
  return toShape(shape);
}

/** Returns the elements of nested arrays of that shape in row-major order. @throws ShapeError for rows of different lengths */
export function flatten(data: NestedValues, shape: Shape, axis = 0, into: Scalar[] = []): Scalar[] {
  const length = Array.isArray(data) ? data.length : undefined;
  if (length !== shape[axis])
    throw new ShapeError(`array: rows of different lengths, expected shape ${formatShape(shape)}`);
  if (length === undefined) into.push(data as Scalar);
  else for (const row of data as readonly NestedValues[]) flatten(row, shape, axis + 1, into);
  return into;
}
