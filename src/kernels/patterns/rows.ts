/** Arrays as rows: the axes that a pattern keeps, then those that it runs along. */

import type { NDArray } from '../../array/array.ts';
import { ShapeError } from '../../base/errors.ts';
import { sizeOf, type Shape } from '../../layout/shape.ts';
import type { Stream } from '../../core/stream.ts';

/** Returns a view, or a copy if none is possible, of shape (kept, along): rows in the order of the other axes. */
export function rowsOf(array: NDArray, axes: readonly number[], stream: Stream): NDArray {
  const kept = [...array.shape.keys()].filter(axis => !axes.includes(axis));
  const lengths = (each: readonly number[]): Shape => each.map(axis => array.shape[axis]!);
  const shape = [sizeOf(lengths(kept)), sizeOf(lengths(axes))];
  if (array.ndim === 0) return array.reshape(...shape);
  const moved = array.transpose(...kept, ...axes);
  try {
    return moved.reshape(...shape);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    return moved.copy({ stream }).reshape(...shape);
  }
}
