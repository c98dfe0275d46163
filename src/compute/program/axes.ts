/** Axes of a reduction. Pure. */

import { IndexError } from '../../base/errors.ts';
import { textOf } from '../../base/value-text.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';

/** One axis, several, or all if left out; negative axes count from the last. */
export type AxisLike = number | readonly number[] | null | undefined;

/** Returns each named axis once, in ascending order. @throws IndexError */
export function toAxes(axis: AxisLike, rank: number): number[] {
  if (axis === undefined || axis === null) return Array.from({ length: rank }, (_, index) => index);
  const axes = (typeof axis === 'number' ? [axis] : [...axis]).map(each => toAxis(each, rank));
  if (new Set(axes).size !== axes.length)
    throw new IndexError(`axes (${axes.join(', ')}): expected each axis at most once`);
  return axes.sort((a, b) => a - b);
}

/** Returns the axis counted from the first. @throws IndexError */
export function toAxis(axis: number, rank: number): number {
  const own = axis < 0 ? axis + rank : axis;
  if (Number.isInteger(own) && own >= 0 && own < rank) return own;
  throw new IndexError(`axis ${textOf(axis)} is out of range for an array with ${rank} dimensions`);
}

export interface SplitAxes {
  readonly keptShape: number[];
  readonly keptStrides: number[];
  readonly reducedShape: number[];
  readonly reducedStrides: number[];
}

export function splitAxes(shape: Shape, strides: Strides, axes: readonly number[]): SplitAxes {
  const split: SplitAxes = { keptShape: [], keptStrides: [], reducedShape: [], reducedStrides: [] };
  for (const [axis, length] of shape.entries()) {
    const reduced = axes.includes(axis);
    (reduced ? split.reducedShape : split.keptShape).push(length);
    (reduced ? split.reducedStrides : split.keptStrides).push(strides[axis]!);
  }
  return split;
}

/** Returns the shape of a result, with reduced axes removed or of length 1. */
export function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): number[] {
  return shape.flatMap((length, axis) => (!axes.includes(axis) ? [length] : keepDims ? [1] : []));
}
