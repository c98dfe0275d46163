/** Byte strides: contiguity, extent, overlap. Pure. Rules 17 to 30. */

import { ShapeError } from '../base/errors.ts';
import { formatShape, sizeOf, type Shape } from './shape.ts';

/** Byte strides: bytes from one element to the next along each axis, of any sign (rule 18: strides are in bytes). */
export type Strides = readonly number[];

/** Compact strides of one axis by itemsize, of which there are few. */
const oneAxis = new Map<number, Strides>();
/** The latest strides of several axes: freezing takes longer than the rest of an import. */
let latest: Strides = Object.freeze([]);

/** Returns true if `latest` has the strides of that shape. */
function isLatest(shape: Shape, itemsize: number): boolean {
  if (shape.length !== latest.length) return false;
  let step = itemsize;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    if (latest[axis] !== step) return false;
    step *= Math.max(shape[axis]!, 1);
  }
  return true;
}

/** Returns the strides of a compact row-major (C) array, in bytes (rule 17: null strides). */
export function rowMajorStrides(shape: Shape, itemsize: number): Strides {
  if (shape.length === 1) {
    const known = oneAxis.get(itemsize);
    if (known !== undefined) return known;
  }
  if (isLatest(shape, itemsize)) return latest;
  const strides = new Array<number>(shape.length);
  let step = itemsize;
  for (let axis = shape.length - 1; axis >= 0; axis--) {
    strides[axis] = step;
    step *= Math.max(shape[axis]!, 1);
  }
  Object.freeze(strides);
  if (shape.length === 1) oneAxis.set(itemsize, strides);
  return (latest = strides);
}

/** Returns true if each axis of more than one element has its compact stride, and for zero-size arrays (rules 19, 21). */
function isCompact(shape: Shape, strides: Strides, itemsize: number, lastFirst: boolean): boolean {
  if (shape.includes(0)) return true;
  let step = itemsize;
  for (let count = 0; count < shape.length; count++) {
    const axis = lastFirst ? shape.length - 1 - count : count;
    const dimension = shape[axis]!;
    if (dimension === 1) continue;
    if (strides[axis] !== step) return false;
    step *= dimension;
  }
  return true;
}

/** Returns true for row-major (C) contiguous strides, which a null `strides` stands for (rule 17). */
export function isRowMajor(shape: Shape, strides: Strides, itemsize: number): boolean {
  return isCompact(shape, strides, itemsize, true);
}

/** Returns true for column-major (Fortran) contiguous strides (rule 28). */
export function isColumnMajor(shape: Shape, strides: Strides, itemsize: number): boolean {
  return isCompact(shape, strides, itemsize, false);
}

/** The range of bytes that contains an array, relative to its first logical element; `start` is 0 or negative (rule 24). */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

export function extentOf(shape: Shape, strides: Strides, itemsize: number): Extent {
  if (shape.includes(0)) return { start: 0, end: 0 };
  let start = 0;
  let end = itemsize;
  for (const [axis, dimension] of shape.entries()) {
    const reach = (dimension - 1) * strides[axis]!;
    if (reach < 0) start += reach;
    else end += reach;
  }
  return { start, end };
}

/** Returns true if elements may share bytes (rule 30): an axis steps less than those of smaller strides extend. Can be true without overlap. */
export function mayOverlap(shape: Shape, strides: Strides, itemsize: number): boolean {
  if (sizeOf(shape) <= 1) return false;
  const axes = shape
    .map((dimension, axis) => ({ dimension, step: Math.abs(strides[axis]!) }))
    .filter(({ dimension }) => dimension > 1)
    .sort((a, b) => a.step - b.step);
  let reach = itemsize;
  for (const { dimension, step } of axes) {
    if (step < reach) return true;
    reach += (dimension - 1) * step;
  }
  return false;
}

/** Returns the lengths of a reshape, of which one may be -1. @throws ShapeError if the number of elements differs */
export function reshapedLengths(shape: Shape, wanted: readonly number[]): readonly number[] {
  const size = sizeOf(shape);
  const known = wanted.reduce((product, length) => (length === -1 ? product : product * length), 1);
  const unknown = wanted.indexOf(-1);
  const lengths = unknown < 0 ? wanted : wanted.with(unknown, known === 0 ? 0 : size / known);
  if (lengths.some(length => !(length >= 0) || length % 1 !== 0) || sizeOf(lengths) !== size)
    throw new ShapeError(
      `cannot reshape ${formatShape(shape)} to ${formatShape(wanted)}: expected ${size} elements`
    );
  return lengths;
}

/** Returns the strides of the same elements under another shape. @throws ShapeError if that needs a copy */
export function reshapedStrides(shape: Shape, strides: Strides, target: Shape, itemsize: number): Strides {
  if (isRowMajor(shape, strides, itemsize)) return rowMajorStrides(target, itemsize);
  const oldAxes = [...shape.entries()].filter(([, dimension]) => dimension !== 1).map(([axis]) => axis);
  const result = new Array<number>(target.length).fill(itemsize);
  let oldStart = 0;
  let newStart = 0;
  while (oldStart < oldAxes.length) {
    // Grow both groups of axes until they hold the same number of elements.
    let oldEnd = oldStart + 1;
    let oldCount = shape[oldAxes[oldStart]!]!;
    let newEnd = newStart;
    let newCount = 1;
    while (newCount !== oldCount) {
      if (newCount < oldCount) newCount *= target[newEnd++]!;
      else oldCount *= shape[oldAxes[oldEnd++]!]!;
    }
    for (let i = oldStart; i + 1 < oldEnd; i++) {
      const [outer, inner] = [oldAxes[i]!, oldAxes[i + 1]!];
      if (strides[outer] !== strides[inner]! * shape[inner]!)
        throw new ShapeError(
          `cannot reshape ${formatShape(shape)} to ${formatShape(target)} without a copy: axes ${outer} and ${inner} cannot be ` +
            `merged, because the stride of axis ${outer} is ${strides[outer]}, not ${shape[inner]} * ${strides[inner]}; use copy() first`
        );
    }
    let step = strides[oldAxes[oldEnd - 1]!]!;
    for (let axis = newEnd - 1; axis >= newStart; axis--) {
      result[axis] = step;
      step *= target[axis]!;
    }
    oldStart = oldEnd;
    newStart = newEnd;
  }
  return Object.freeze(result);
}
