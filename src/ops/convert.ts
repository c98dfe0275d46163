/** Conversion to another dtype. */

import type { NDArray } from '../array/array.ts';
import { type StreamOption } from '../array/array.ts';
import type { DType, DTypeLike, NameOf } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { evaluate } from './evaluate.ts';
import { Expression } from '../compute/program/expression.ts';
import { elementTypeOf } from '../compute/program/promotion.ts';
import { cast } from './rules.ts';

export interface AstypeOptions extends StreamOption {
  /** A new array also where the type is that already. Default true. */
  readonly copy?: boolean | undefined;
}

/**
 * The elements as another dtype, as C converts them: floats are cut to whole numbers, integers lose their high bits, complex numbers
 * their imaginary part, anything but zero is true. Numbers that a small float cannot hold become infinity or NaN as its format has.
 * @throws DTypeError for records, text, dates and types below a byte
 */
export function astype<L extends DTypeLike>(
  array: NDArray,
  dtype: L,
  options?: AstypeOptions
): NDArray<NameOf<L>>;
export function astype(expression: Expression, dtype: DTypeLike): Expression;
export function astype(
  source: NDArray | Expression,
  dtype: DTypeLike,
  options: AstypeOptions = {}
): NDArray | Expression {
  const target = toDType(dtype);
  if (source instanceof Expression) return convertTo(source, target);
  if (target.name === source.dtype.name && options.copy === false) return source;
  if (target.name === source.dtype.name) return source.copy(options);
  return evaluate(convertTo(Expression.input(0, elementTypeOf(source.dtype)), target), [source], options);
}

const convertTo = (expression: Expression, dtype: DType): Expression => {
  const type = elementTypeOf(dtype);
  return expression.node.kind === 'value'
    ? Expression.operation('cast', type, expression)
    : cast(expression, type);
};
