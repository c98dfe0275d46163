/** Axes of a reduction. Pure. */

import { IndexError } from '../../base/errors.ts';
import { textOf } from '../../base/value-text.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';

/** One axis, several, or all if left out; negative axes count from the last. */
export type AxisLike = number | readonly number[] | null | undefined;

/** The axes of an array, by its rank. */
const allAxes: (readonly number[])[] = [];

/** Returns each named axis once, in ascending order. @throws IndexError */
export function toAxes(axis: AxisLike, rank: number): readonly number[] {
  if (axis === undefined || axis === null)
    return (allAxes[rank] ??= Array.from({ length: rank }, (_, index) => index));
  if (typeof axis === 'number') return [toAxis(axis, rank)];
  const axes = axis.map(each => toAxis(each, rank));
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
  readonly keptShape: Shape;
  readonly keptStrides: Strides;
  readonly reducedShape: Shape;
  readonly reducedStrides: Strides;
}

export function splitAxes(shape: Shape, strides: Strides, axes: readonly number[]): SplitAxes {
  if (axes.length === shape.length)
    return { keptShape: NONE, keptStrides: NONE, reducedShape: shape, reducedStrides: strides };
  return {
    keptShape: without(shape, axes),
    keptStrides: without(strides, axes),
    reducedShape: axes.map(axis => shape[axis]!),
    reducedStrides: axes.map(axis => strides[axis]!)
  };
}

const NONE: readonly number[] = Object.freeze([]);

/** Returns the values of the other axes. */
export function without(values: readonly number[], axes: readonly number[]): readonly number[] {
  if (axes.length === values.length) return NONE;
  return values.filter((_, axis) => !axes.includes(axis));
}

/** Returns the shape of a result, with reduced axes removed or of length 1. */
export function reducedShape(shape: Shape, axes: readonly number[], keepDims: boolean): Shape {
  return keepDims ? shape.map((length, axis) => (axes.includes(axis) ? 1 : length)) : without(shape, axes);
}
