/** JavaScript's Math and number functions in kernels. */

import type { BinaryOperation, Expression, Place, UnaryOperation } from '../program/program.ts';
import { MATH_FUNCTIONS, takesComplex } from '../program/math-functions.ts';
import {
  ELEMENTS,
  isComplex,
  isFloat,
  isInteger,
  partOf,
  type ComplexType,
  type ElementType
} from '../program/types.ts';
import { binary, combine, integerQuotient, multiplyIntegers } from './arithmetic.ts';
import { argumentsOf, know, type Call, type Rule } from './known-functions.ts';
import { requireScalar } from './lowering.ts';
import { constant, constantOf, convert, saturated, scalar, weakNumber, wrapped } from './numbers.ts';
import * as types from './number-types.ts';
import { requireFloat } from './requirements.ts';
import type { Scalar, Value } from './values.ts';

/** Makes the rule of a function of one float, or of a complex number if it is defined for them. `host` computes it for constants. */
export function floatFunction(operation: UnaryOperation, host?: (value: number) => number): Rule {
  return call => {
    const { lowering, node } = call;
    const given = argumentsOf(call, 1)[0]!;
    const complex = takesComplex(operation) && isComplexValue(given);
    return applyFloat(call, operation, complex ? given : requireFloat(lowering, given, node), host);
  };
}

const isComplexValue = (value: Value): value is Scalar =>
  value.kind === 'scalar' && isComplex(value.expression.type);

function applyFloat(
  { lowering, node }: Call,
  operation: UnaryOperation,
  value: Scalar,
  host?: (value: number) => number
): Scalar {
  const known = constantOf(value);
  const place = lowering.place(node);
  if (known !== undefined && value.weak !== null && host !== undefined)
    return weakNumber(host(Number(known)), place, true);
  const operand = convert(value, value.expression.type);
  return scalar({ kind: 'unary', operation, operand, type: operand.type, place });
}

/** Makes the rule of a test of a float, or of the parts of a complex number. */
function test(operation: UnaryOperation): Rule {
  return call => {
    const { lowering, node } = call;
    const given = argumentsOf(call, 1)[0]!;
    const { expression } = isComplexValue(given) ? given : requireFloat(lowering, given, node);
    return scalar({
      kind: 'unary',
      operation,
      operand: expression,
      type: 'bool',
      place: lowering.place(node)
    });
  };
}

const QUOTIENTS = { floor: 'floorDivide', ceil: 'ceilDivide', trunc: 'divide' } as const;

/** Makes the rule of a rounding, which leaves integers as they are. A quotient of integers stays an integer. */
function rounding(operation: 'floor' | 'ceil' | 'trunc', host: (value: number) => number): Rule {
  return call => {
    const { lowering, node, nodes } = call;
    const rounded =
      nodes.length === 1 ? integerQuotient(lowering, nodes[0]!, QUOTIENTS[operation]) : undefined;
    if (rounded !== undefined) return rounded;
    const value = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
    if (isInteger(value.expression.type)) return value;
    const known = value.weak === null ? undefined : constantOf(value);
    // The result of a constant is a whole number, which may be an index.
    if (known !== undefined) return weakNumber(host(Number(known)), lowering.place(node));
    return applyFloat(call, operation, requireFloat(lowering, value, node), host);
  };
}

/** Makes the rule of a function that keeps the type of its number: abs, sign. The size of a complex number is a float. */
function sameType(operation: UnaryOperation, host: (value: number) => number): Rule {
  return call => {
    const { lowering, node } = call;
    const value = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
    const { expression } = value;
    if (expression.type === 'bool') return lowering.fail('expected a number, found a boolean', node);
    if (isFloat(expression.type)) return applyFloat(call, operation, value, host);
    const type =
      operation === 'abs' && isComplex(expression.type) ? partOf(expression.type) : expression.type;
    return scalar(
      { kind: 'unary', operation, operand: expression, type, place: lowering.place(node) },
      value.weak
    );
  };
}

/** Rounds half up, as JavaScript does and C does not. */
function round(call: Call): Value {
  const { lowering, node } = call;
  const given = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
  if (isInteger(given.expression.type)) return given;
  const value = lowering.keep(requireFloat(lowering, given, node).expression);
  const place = lowering.place(node);
  const { type } = value;
  const number = (each: number) => constant(type, each, place);
  const floor = { kind: 'unary', operation: 'floor', operand: value, type, place } as const;
  const condition = binary('greaterEqual', binary('subtract', value, floor, place), number(0.5), place);
  const step = { kind: 'select', condition, then: number(1), otherwise: number(0), type, place } as const;
  // The sign of zeros is that of the number.
  return scalar(binary('copysign', binary('add', floor, step, place), value, place));
}

/** Makes the rule of a function of two numbers; `float` converts integers first. Few are defined for complex numbers. */
export function pairFunction(operation: BinaryOperation, float: boolean): Rule {
  return call => {
    const { lowering, node } = call;
    const [a, b] = argumentsOf(call, 2).map(value => number(call, value, float)) as [Scalar, Scalar];
    return combine(lowering, operation, a, b, node);
  };
}

function number({ lowering, node }: Call, value: Value, float: boolean): Scalar {
  return float && !isComplexValue(value)
    ? requireFloat(lowering, value, node)
    : requireScalar(lowering, value, node);
}

/** Makes the rule of a function of any number of arguments, which are combined in turn. */
function variadic(operation: BinaryOperation, float: boolean): Rule {
  return call => {
    const { lowering, node } = call;
    const values = argumentsOf(call, 1, Infinity).map(value => number(call, value, float));
    return values.reduce((left, right) => combine(lowering, operation, left, right, node));
  };
}

/** Makes the rule of a complex number, of its parts or of a number. */
function complexTo(element: ComplexType): Rule {
  return call => {
    const { lowering, node } = call;
    lowering.noteComplex(node);
    const given = argumentsOf(call, 1, 2);
    const place = lowering.place(node);
    if (given.length === 1) {
      const value = requireScalar(lowering, given[0]!, node);
      if (value.expression.type !== 'bool') return scalar(convert(value, element));
      return lowering.fail('expected a number, found a boolean', node, 'write (condition ? 1 : 0)');
    }
    const [left, right] = given.map(each => convert(requireFloat(lowering, each, node), partOf(element))) as [
      Expression,
      Expression
    ];
    return scalar({ kind: 'binary', operation: 'complex', left, right, type: element, place });
  };
}

/** Makes the rule of a function of the parts of a complex number; `real` is its value for another number. */
export function partFunction(
  operation: 'real' | 'imag' | 'conj',
  real: (value: Scalar, place: Place) => Scalar
): Rule {
  return call => {
    const { lowering, node } = call;
    const value = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
    const place = lowering.place(node);
    const { expression: operand } = value;
    if (operand.type === 'bool') return lowering.fail('expected a number, found a boolean', node);
    if (!isComplex(operand.type)) return real(value, place);
    const type = operation === 'conj' ? operand.type : partOf(operand.type);
    return scalar({ kind: 'unary', operation, operand, type, place });
  };
}

/** Makes the rule of a cast. */
function castTo(element: ElementType): Rule {
  const type = ELEMENTS[element].value;
  return call => {
    const { lowering, node, nodes } = call;
    if (nodes.length === 1 && isInteger(type)) {
      const quotient = integerQuotient(lowering, nodes[0]!, 'divide');
      if (quotient !== undefined) return scalar(convert(quotient, type));
    }
    const value = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
    if (isComplexValue(value) && type !== 'bool')
      return lowering.fail(
        `${element} of a complex number (${value.expression.type})`,
        node,
        'write cuda.real(x) or Math.abs(x)'
      );
    const known = value.weak === 'float' && isInteger(type) ? constantOf(value) : undefined;
    const place = lowering.place(node);
    const converted =
      known === undefined
        ? convert(wrapped(value, type), type)
        : constant(type, saturated(Number(known), type), place);
    if (element === type || element === 'bool') return scalar(converted);
    return scalar({ kind: 'narrow', element, operand: converted, type, place });
  };
}

for (const name of MATH_FUNCTIONS) know(Math[name], floatFunction(name, Math[name]));
know(Math.floor, rounding('floor', Math.floor));
know(Math.ceil, rounding('ceil', Math.ceil));
know(Math.trunc, rounding('trunc', Math.trunc));
know(Math.round, round);
know(Math.abs, sameType('abs', Math.abs));
know(Math.sign, sameType('sign', Math.sign));
know(Math.min, variadic('min', false));
know(Math.max, variadic('max', false));
know(Math.hypot, variadic('hypot', true));
know(Math.pow, pairFunction('pow', true));
know(Math.atan2, pairFunction('atan2', true));
know(Math.imul, call => {
  const { lowering, node } = call;
  const [a, b] = argumentsOf(call, 2).map(value => requireScalar(lowering, value, node)) as [Scalar, Scalar];
  return multiplyIntegers(lowering, a, b, node);
});
know(Math.fround, castTo('f32'));
know(Math.clz32, call => {
  const { lowering, node } = call;
  const operand = convert(requireScalar(lowering, argumentsOf(call, 1)[0]!, node), 'u32');
  return scalar({ kind: 'unary', operation: 'clz', operand, type: 'i32', place: lowering.place(node) });
});
know(Math.random, ({ lowering, node }) =>
  lowering.fail('Math.random has no sequence in a kernel', node, 'use cuda.random(seed, index)')
);
for (const value of [Number.isNaN, isNaN]) know(value, test('isnan'));
for (const value of [Number.isFinite, isFinite]) know(value, test('isfinite'));
know(Number, castTo('f64'));
for (const value of [...Object.values(types), Boolean]) {
  const element = types.elementOfCast(value);
  if (element !== undefined) know(value, isComplex(element) ? complexTo(element) : castTo(element));
}
