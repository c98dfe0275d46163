/** The index space of an operation, and the places of its operands. Pure. */

import { ShapeError } from '../../base/errors.ts';
import { formatShape, type Shape } from '../../layout/shape.ts';
import { broadcastView } from '../../layout/slice.ts';
import type { Strides } from '../../layout/strides.ts';

/** Bytes from the start of the operand's memory to its first element, and bytes per axis. */
export interface Place {
  readonly offset: number;
  readonly strides: Strides;
}

export interface Space {
  readonly shape: Shape;
  readonly places: readonly Place[];
}

/** Returns the common shape of a broadcast: axes match from the last, and those of length 1 repeat. @throws ShapeError */
export function broadcastShapes(shapes: readonly Shape[]): Shape {
  const [first, ...others] = shapes as [Shape, ...Shape[]];
  if (others.every(shape => shape === first || equalShapes(shape, first))) return first;
  const rank = Math.max(...shapes.map(({ length }) => length));
  const result: number[] = [];
  for (let axis = 0; axis < rank; axis++) {
    let length = 1;
    for (const shape of shapes) {
      const own = shape[axis - rank + shape.length];
      if (own === undefined || own === 1 || own === length) continue;
      if (length !== 1)
        throw new ShapeError(
          `shapes ${shapes.map(formatShape).join(' and ')} do not broadcast together: lengths differ along axis ${axis}`
        );
      length = own;
    }
    result.push(length);
  }
  return Object.freeze(result);
}

/** An operand before it is broadcast. */
export interface Placed extends Place {
  readonly shape: Shape;
}

/** Returns the strides of an operand that is broadcast to a shape. @throws ShapeError */
export function stridesIn(operand: Placed, shape: Shape): Strides {
  if (equalShapes(operand.shape, shape)) return operand.strides;
  return broadcastView(operand.shape, operand.strides, shape).strides;
}

/** Returns the space of outputs, whose shape it has, and of inputs, which broadcast to it. */
export function spaceOf(shape: Shape, outputs: readonly Placed[], inputs: readonly Placed[]): Space {
  const places = [...outputs, ...inputs].map(operand => ({
    offset: operand.offset,
    strides: stridesIn(operand, shape)
  }));
  return { shape, places };
}

/** Compares shapes, or strides. */
export function equalShapes(a: Shape, b: Shape): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let axis = 0; axis < a.length; axis++) if (a[axis] !== b[axis]) return false;
  return true;
}

/** Drops axes of length 1, orders the others by the first operand's strides, largest first, makes these positive, and merges neighbours. */
export function simplify({ shape, places }: Space): Space {
  const leading = places[0]!.strides;
  const axes = [...shape.keys()]
    .filter(axis => shape[axis] !== 1)
    .sort((a, b) => Math.abs(leading[b]!) - Math.abs(leading[a]!));
  const lengths: number[] = [];
  const offsets = places.map(({ offset }) => offset);
  const strides: number[][] = places.map(() => []);
  for (const axis of axes) {
    const length = shape[axis]!;
    const turned = leading[axis]! < 0;
    const steps = places.map((place, which) => {
      const step = place.strides[axis]!;
      if (turned) offsets[which] = offsets[which]! + step * (length - 1);
      return turned ? -step : step;
    });
    const merges =
      lengths.length > 0 && strides.every((list, which) => list.at(-1) === steps[which]! * length);
    if (merges) lengths[lengths.length - 1] = lengths.at(-1)! * length;
    else lengths.push(length);
    for (const [which, list] of strides.entries()) {
      if (merges) list.pop();
      list.push(steps[which]!);
    }
  }
  return {
    shape: lengths,
    places: offsets.map((offset, which) => ({ offset, strides: strides[which]! }))
  };
}
