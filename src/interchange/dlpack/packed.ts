/** Folds packed elements smaller than a byte into vectors that fill whole bytes (rules 128, 129). Pure. */

import type { DLDataType } from '../../dtype/dtype.ts';
import { BufferError } from '../../base/errors.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';

export interface ElementLayout {
  readonly dtype: DLDataType;
  readonly shape: Shape;
  /** In elements. */
  readonly strides: Strides;
}

/** Returns true if an element does not fill whole bytes. */
export function isPacked({ bits, lanes }: DLDataType): boolean {
  return (bits * lanes) % 8 !== 0;
}

/**
 * Folds the last axis into vectors, without a copy: int4 (3, 8) becomes int4_x2 (3, 4), float6 (4) becomes float6_x4 (1).
 * @throws BufferError if the last axis is not compact or not divisible, so that elements start inside a byte
 */
export function foldPacked(layout: ElementLayout): ElementLayout {
  const { dtype, shape, strides } = layout;
  const lanes = [2, 4, 8].find(count => (dtype.bits * count) % 8 === 0) ?? 8;
  const last = shape.length - 1;
  const empty = shape.includes(0);
  const folds =
    dtype.lanes === 1 &&
    last >= 0 &&
    (empty ||
      ((shape[last] as number) % lanes === 0 &&
        strides[last] === 1 &&
        strides.every((stride, axis) => axis === last || stride % lanes === 0 || shape[axis] === 1)));
  if (!folds)
    throw new BufferError(
      `packed elements of ${dtype.bits} bits in shape [${shape.join(', ')}] do not fill whole bytes along a compact last axis: ` +
        'request the padded form from the producer (rule 128: packing)'
    );
  return {
    dtype: { ...dtype, lanes },
    shape: shape.map((dimension, axis) => (axis === last ? Math.ceil(dimension / lanes) : dimension)),
    strides: strides.map((stride, axis) => (axis === last ? 1 : Math.trunc(stride / lanes)))
  };
}
