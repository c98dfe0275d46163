/** Validity masks of arrays: reads, reshapes and copies them. Rules 49 to 51. */

import type { NDArray } from './array.ts';
import { sameElements } from '../compute/overlap.ts';
import { readScalar } from '../dtype/elements.ts';
import { hostArrayOver } from '../dtype/host-array.ts';
import { ShapeError, ValueError } from '../base/errors.ts';
import type { Shape } from '../layout/shape.ts';
import type { Stream } from '../core/stream.ts';
import { readRegion } from './transfer.ts';

const TRUTH_KINDS = new Set(['b', 'i', 'u', 'f', 'c']);

/** Broadcasts a mask to the shape of its data. @throws ValueError for one with a mask or without truth values, ShapeError */
export function maskFor(mask: NDArray, shape: Shape): NDArray {
  if (mask.mask !== null) throw new ValueError('a mask cannot have a mask itself (rule 50: masks)');
  if (!TRUTH_KINDS.has(mask.dtype.kind))
    throw new ValueError(
      `a mask has dtype ${mask.dtype.name}, expected bool or a type of numbers (rule 50: masks)`
    );
  return mask.broadcastTo(shape);
}

/** Reads whether each element is valid, in row-major order. Blocks. */
export const readMask = (mask: NDArray): boolean[] => validity(mask, readRegion(mask, mask.stream));

/** Returns which elements are valid, from the row-major bytes of a mask. */
export function validity(mask: NDArray, bytes: ArrayBuffer): boolean[] {
  const host = hostArrayOver(mask.dtype, bytes);
  return Array.from({ length: mask.size }, (_, index) => {
    const value = readScalar(host, mask.dtype, index);
    // Only the truth value counts, and NaN is not zero (rule 50).
    if (typeof value === 'object' && 're' in value) return value.re !== 0 || value.im !== 0;
    return value !== false && value !== 0 && value !== 0n;
  });
}

/** Reshapes a mask: a view if possible, otherwise a copy, since masks often repeat with stride 0. */
export function reshapeMask(mask: NDArray, shape: Shape): NDArray {
  try {
    return mask.reshape(...shape);
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    using copy = mask.copy();
    return copy.reshape(...shape);
  }
}

/** Copies the validity mask along with the data. @throws ValueError if only the source has a mask */
export function copyMask(source: NDArray | null, target: NDArray | null, stream: Stream): void {
  if (target === null) {
    if (source === null) return;
    throw new ValueError('the source has a mask, but the target has none: use copy()');
  }
  if (source !== null && sameElements(source, target)) return;
  if (target.readOnly)
    throw new ValueError(
      'the mask of the target is read-only or repeats its elements: give the target a writable mask'
    );
  if (source === null) target.fill(1, { stream });
  else target.copyFrom(source, { stream });
}
