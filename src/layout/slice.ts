/** Basic indexing: integers and slices, with Python's meaning of start, stop and step. Pure. */

import { IndexError, ShapeError } from '../base/errors.ts';
import { formatShape, type Shape } from './shape.ts';
import type { Strides } from './strides.ts';

/**
 * Selects part of one axis: `null` takes all of it, a number picks one index and drops the axis, and `"start:stop:step"` or `[start, stop,
 * step]` takes a range. Parts may be left out (or null); negative numbers count from the end.
 */
export type SliceArgument =
  | null
  | undefined
  | number
  | string
  | readonly [start?: number | null, stop?: number | null, step?: number | null];

export interface View {
  readonly shape: Shape;
  readonly strides: Strides;
  /** Bytes from the first element of the source to the first element of the view. */
  readonly offset: number;
}

type Bound = number | null;

function parseText(text: string): readonly [Bound, Bound, Bound] {
  const parts = text.split(':').map(part => part.trim());
  if (parts.length < 2 || parts.length > 3 || !parts.every(part => /^([+-]?\d+)?$/.test(part)))
    throw new IndexError(`slice '${text}': expected 'start:stop' or 'start:stop:step' with integers`);
  const [start, stop, step] = parts.map(part => (part === '' ? null : Number(part)));
  return [start ?? null, stop ?? null, step ?? null];
}

/** Returns the first index, number of indices and step of a slice over an axis of `length` (Python's `slice.indices`). */
export function sliceIndices(
  argument: Exclude<SliceArgument, number>,
  length: number
): { readonly first: number; readonly count: number; readonly step: number } {
  if (argument === null || argument === undefined) return { first: 0, count: length, step: 1 };
  const [start, stop, givenStep] =
    typeof argument === 'string'
      ? parseText(argument)
      : [argument[0] ?? null, argument[1] ?? null, argument[2] ?? null];
  for (const part of [start, stop, givenStep]) {
    if (part !== null && !Number.isInteger(part)) throw new IndexError(`slice: ${part} is not an integer`);
  }
  const step = givenStep ?? 1;
  if (step === 0) throw new IndexError('slice: step is 0, expected a nonzero integer');
  const [least, most] = step > 0 ? [0, length] : [-1, length - 1];
  const clamp = (bound: number): number =>
    Math.min(Math.max(bound < 0 ? bound + length : bound, least), most);
  const first = start === null ? (step > 0 ? least : most) : clamp(start);
  const end = stop === null ? (step > 0 ? most : least) : clamp(stop);
  return { first, count: Math.max(0, Math.ceil((end - first) / step)), step };
}

/** Returns the view that `arguments_` select. @throws IndexError for too many arguments, an index out of range, a malformed slice */
export function sliceView(shape: Shape, strides: Strides, arguments_: readonly SliceArgument[]): View {
  if (arguments_.length > shape.length)
    throw new IndexError(
      `${arguments_.length} indices for an array of shape ${formatShape(shape)}, expected at most ${shape.length}`
    );
  const newShape: number[] = [];
  const newStrides: number[] = [];
  let offset = 0;
  for (const [axis, length] of shape.entries()) {
    const argument = arguments_[axis];
    const stride = strides[axis]!;
    if (typeof argument === 'number') {
      const index = argument < 0 ? argument + length : argument;
      if (!Number.isInteger(argument) || index < 0 || index >= length)
        throw new IndexError(`index ${argument} is out of range for axis ${axis} of length ${length}`);
      offset += index * stride;
      continue;
    }
    const { first, count, step } = sliceIndices(argument, length);
    if (count > 0) offset += first * stride;
    newShape.push(count);
    newStrides.push(stride * step);
  }
  // An empty view has no first element, so it keeps the source's address.
  if (newShape.includes(0)) offset = 0;
  return { shape: Object.freeze(newShape), strides: Object.freeze(newStrides), offset };
}

/** Returns the view with permuted axes, reversed if `axes` is empty. @throws IndexError */
export function transposeView(shape: Shape, strides: Strides, axes: readonly number[]): View {
  const order =
    axes.length === 0
      ? [...shape.keys()].reverse()
      : axes.map(axis => (axis < 0 ? axis + shape.length : axis));
  if (
    order.length !== shape.length ||
    new Set(order).size !== order.length ||
    order.some(axis => shape[axis] === undefined)
  )
    throw new IndexError(`axes (${axes.join(', ')}): expected each of the ${shape.length} axes once`);
  return {
    shape: Object.freeze(order.map(axis => shape[axis]!)),
    strides: Object.freeze(order.map(axis => strides[axis]!)),
    offset: 0
  };
}

/** Returns the view in which axes of length 1 and new leading axes repeat, with stride 0 (rule 22). @throws ShapeError for incompatible shapes */
export function broadcastView(shape: Shape, strides: Strides, target: Shape): View {
  const added = target.length - shape.length;
  if (added < 0 || shape.some((dimension, axis) => dimension !== 1 && dimension !== target[axis + added]))
    throw new ShapeError(`shape ${formatShape(shape)} does not broadcast to ${formatShape(target)}`);
  const repeated = target.map((dimension, axis) =>
    axis < added || shape[axis - added] !== dimension ? 0 : strides[axis - added]!
  );
  return { shape: target, strides: Object.freeze(repeated), offset: 0 };
}
