/** Conversion to another dtype. */

import type { NDArray, StreamOption } from '../array/array.ts';
import type { DTypeLike, NameOf } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { Computation, compute } from './evaluate.ts';
import { Expression } from '../compute/program/expression.ts';
import type { ElementTypeName } from '../compute/program/element-types.ts';
import { elementTypeOf } from '../compute/program/promotion.ts';
import { cast } from './rules.ts';

/** Options of `astype`. */
export interface AstypeOptions extends StreamOption {
  /** Whether to copy an array that already has the dtype. Default true. */
  readonly copy?: boolean | undefined;
}

/** By the two types. */
const casts = new Map<ElementTypeName, Map<ElementTypeName, Computation>>();

/** Returns the computation that converts elements, prepared at the first call. */
export function castOf(from: ElementTypeName, to: ElementTypeName): Computation {
  let known = casts.get(from);
  if (known === undefined) casts.set(from, (known = new Map<ElementTypeName, Computation>()));
  let made = known.get(to);
  if (made === undefined)
    known.set(to, (made = new Computation(cast(Expression.input(0, from), to), [from])));
  return made;
}

/**
 * Converts the elements to another dtype by C's rules: floats are truncated to integers, integers lose high bits, complex numbers lose
 * their imaginary part, and anything but zero becomes true. Numbers outside the range of a small float become infinity or NaN, whichever
 * its format has.
 * @throws DTypeError for structured dtypes, text, dates and sub-byte types
 */
export function astype<L extends DTypeLike>(
  array: NDArray,
  dtype: L,
  options: AstypeOptions = {}
): NDArray<NameOf<L>> {
  const target = toDType(dtype);
  const same = target.name === array.dtype.name;
  if (same && options.copy === false) return array as NDArray<NameOf<L>>;
  const made = same
    ? array.copy(options)
    : compute(castOf(elementTypeOf(array.dtype), elementTypeOf(target)), [array], options);
  return made as NDArray<NameOf<L>>;
}
