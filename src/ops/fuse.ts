/** Several elementwise functions as one: a single pass over the data, a single kernel on a GPU. */

import { NDArray } from '../array.ts';
import type { Scalar } from '../dtype/host-array.ts';
import { ArgumentError } from '../errors.ts';
import { textOf } from '../value-text.ts';
import { evaluate, type OutOption } from './evaluate.ts';
import { Expression } from './expression.ts';
import { elementTypeOf } from './promotion.ts';

/**
 * A function of arrays from a function of their elements, which is called at every use with an expression for each array, so what
 * it captures may change between uses; the compiled code is kept. Inside, the library's functions and methods build the
 * expression. JavaScript's `if` cannot look at elements (use `where`), and its operators throw.
 * @param body gives the expression of the result
 * @throws ArgumentError where the body gives none
 * @example const wave = fuse((x, y) => sin(x).multiply(y).add(1)); wave(a, b, { out: c });
 */
export function fuse<Parameters extends readonly (Expression | Scalar)[]>(
  body: (...elements: Parameters) => Expression
): (...operands: (NDArray | Scalar | OutOption)[]) => NDArray {
  return (...operands) => {
    const inputs: NDArray[] = [];
    const last = operands.at(-1);
    const options = isOptions(last) ? last : {};
    const given = (isOptions(last) ? operands.slice(0, -1) : operands) as (NDArray | Scalar)[];
    const elements = given.map(operand => {
      if (!(operand instanceof NDArray)) return operand;
      const known = inputs.indexOf(operand);
      if (known < 0) inputs.push(operand);
      return Expression.input(known < 0 ? inputs.length - 1 : known, elementTypeOf(operand.dtype));
    });
    if (inputs.length === 0) throw new ArgumentError('fuse: the function was called without an array');
    const result = body(...(elements as unknown as Parameters));
    if (!(result instanceof Expression)) {
      throw new ArgumentError(`fuse: the body gave ${textOf(result)}, not an expression of its arguments`);
    }
    return evaluate(result, inputs, options);
  };
}

function isOptions(value: unknown): value is OutOption {
  return typeof value === 'object' && value !== null && !(value instanceof NDArray) && !('re' in value);
}
