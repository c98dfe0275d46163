/** Runs several elementwise functions as one: a single pass over the data, a single kernel on a GPU. */

import { NDArray } from '../array/array.ts';
import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import { evaluate, type OutOption } from './evaluate.ts';
import { Expression } from '../compute/program/expression.ts';
import { elementTypeOf } from '../compute/program/promotion.ts';

/**
 * Makes one kernel of several elementwise operations: turns a function of elements into a function of arrays. The function is called at
 * each use with an expression for each array, so captured values may change between uses; compiled code is cached. Inside, call the
 * library's functions and methods; JavaScript's operators throw, and `if` cannot test elements (use `where`). @param body returns the
 * expression of the result
 * @returns a function of the arrays, and perhaps options after them
 * @throws ArgumentError if the body returns no expression
 * @example const wave = fuse((x, y) => sin(x).multiply(y).add(1)); wave(a, b, { out: c });
 */
export function fuse(
  body: (...elements: Expression[]) => Expression
): (...operands: (NDArray | OutOption)[]) => NDArray {
  return (...operands) => {
    const last = operands.at(-1);
    const options = last === undefined || last instanceof NDArray ? {} : last;
    const arrays = options === last ? operands.slice(0, -1) : operands;
    const inputs: NDArray[] = [];
    const elements = arrays.map((array, index) => {
      if (!(array instanceof NDArray))
        throw new ArgumentError(
          `fuse: operand ${index + 1} is ${textOf(array)}, not an array: capture numbers instead`
        );
      const known = inputs.indexOf(array);
      if (known < 0) inputs.push(array);
      return Expression.input(known < 0 ? inputs.length - 1 : known, elementTypeOf(array.dtype));
    });
    if (inputs.length === 0) throw new ArgumentError('fuse: expected at least one array');
    const result = body(...elements);
    if (!(result instanceof Expression))
      throw new ArgumentError(
        `fuse: the body returned ${textOf(result)}, expected an expression of its arguments`
      );
    return evaluate(result, inputs, options);
  };
}
