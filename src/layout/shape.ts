/** Shapes: validation, size, normalised axes. Pure. Rules 15, 16, 31 and 55. */

import { ShapeError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';

export { formatShape } from './shape-text.ts';

/** The lengths of the axes, outermost first. */
export type Shape = readonly number[];
/** A shape as an argument: one length, or a list of lengths. */
export type ShapeLike = number | bigint | readonly (number | bigint)[];

/** The greatest number of axes, as in NumPy (rule 31: documented and enforced). */
export const MAX_DIMENSIONS = 64;

/** Shapes of one axis by their length. Freezing an array takes longer than the rest of a small allocation. */
const oneAxis = new Map<number, Shape>();
const MOST_KEPT = 1024;
/** The latest shape of several axes: programs often import or make many arrays of one shape. */
let latest: Shape = Object.freeze([]);

/** Checks a shape: dimensions are non-negative, their product a safe integer (rules 15, 16). @throws ShapeError naming the dimension */
export function toShape(value: ShapeLike): Shape {
  if (typeof value !== 'number') return checked(value);
  let shape = oneAxis.get(value);
  if (shape === undefined) {
    shape = checked(value);
    if (oneAxis.size >= MOST_KEPT) oneAxis.clear();
    oneAxis.set(value, shape);
  }
  return shape;
}

function isLatest(dimensions: readonly unknown[]): boolean {
  if (dimensions.length !== latest.length) return false;
  for (let axis = 0; axis < latest.length; axis++) if (dimensions[axis] !== latest[axis]) return false;
  return true;
}

function checked(value: ShapeLike): Shape {
  const dimensions = Array.isArray(value)
    ? (value as readonly (number | bigint)[])
    : [value as number | bigint];
  if (isLatest(dimensions)) return latest;
  if (dimensions.length > MAX_DIMENSIONS)
    throw new ShapeError(
      `shape has ${dimensions.length} dimensions, expected at most ${MAX_DIMENSIONS} (rule 31: limit)`
    );
  const shape = isPlain(dimensions)
    ? [...dimensions]
    : dimensions.map((dimension, axis) => toDimension(dimension, axis, dimensions));
  sizeOf(shape);
  return (latest = Object.freeze(shape));
}

function isPlain(dimensions: readonly unknown[]): dimensions is readonly number[] {
  for (let axis = 0; axis < dimensions.length; axis++) {
    const dimension = dimensions[axis];
    if (typeof dimension !== 'number' || dimension < 0 || !Number.isSafeInteger(dimension)) return false;
  }
  return true;
}

function toDimension(value: unknown, axis: number, all: readonly unknown[]): number {
  const fail = (what: string): never => {
    throw new ShapeError(
      `shape (${all.slice(0, 8).map(textOf).join(', ')}${all.length > 8 ? ', …' : ''}): dimension ${axis} ${what} (rules 15, 16: lengths)`
    );
  };
  if (typeof value !== 'number' && typeof value !== 'bigint')
    return fail(`is ${textOf(value)}, not an integer`);
  if (value < 0) return fail(`is negative: ${value}`);
  if (typeof value === 'number' && !Number.isInteger(value)) return fail(`is not an integer: ${value}`);
  if (value > Number.MAX_SAFE_INTEGER) return fail(`is larger than 2^53 - 1: ${value}`);
  return Number(value);
}

/** Returns the number of elements, 1 for a 0-d array (rule 15). @throws ShapeError if it exceeds 2^53 - 1 */
export function sizeOf(shape: Shape): number {
  let size = 1;
  for (let axis = 0; axis < shape.length; axis++) size *= shape[axis]!;
  // Infinity times a length of 0 is NaN.
  if (Number.isNaN(size)) return 0;
  if (size > Number.MAX_SAFE_INTEGER) {
    if (shape.includes(0)) return 0;
    throw new ShapeError(`shape (${shape.join(', ')}) has more than 2^53 - 1 elements (rule 16: overflow)`);
  }
  return size;
}
