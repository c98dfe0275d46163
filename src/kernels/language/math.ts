/** JavaScript's Math and number functions in kernels. */

import type { BinaryOperation, UnaryOperation } from '../program/program.ts';
import { ELEMENTS, isFloat, isInteger, type ElementType } from '../program/types.ts';
import { binary, combine, integerQuotient } from './arithmetic.ts';
import { argumentsOf, know, type Call, type Rule } from './known-functions.ts';
import { requireScalar } from './lowering.ts';
import { constant, constantOf, convert, scalar, weakNumber } from './numbers.ts';
import * as types from './number-types.ts';
import { requireFloat } from './requirements.ts';
import type { Scalar, Value } from './values.ts';

/** Makes the rule of a function of one float. `host` computes it for constants. */
export function floatFunction(operation: UnaryOperation, host?: (value: number) => number): Rule {
  return call => {
    const { lowering, node } = call;
    const value = requireFloat(lowering, argumentsOf(call, 1)[0]!, node);
    return applyFloat(call, operation, value, host);
  };
}

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

/** Makes the rule of a test of a float. */
function test(operation: UnaryOperation): Rule {
  return call => {
    const { lowering, node } = call;
    const { expression } = requireFloat(lowering, argumentsOf(call, 1)[0]!, node);
    return scalar({
      kind: 'unary',
      operation,
      operand: expression,
      type: 'bool',
      place: lowering.place(node)
    });
  };
}

/** Makes the rule of a rounding, which leaves integers as they are. A quotient of integers stays an integer. */
function rounding(operation: 'floor' | 'ceil' | 'trunc', host: (value: number) => number): Rule {
  return call => {
    const { lowering, node, nodes } = call;
    const rounded =
      operation === 'ceil' || nodes.length !== 1
        ? undefined
        : integerQuotient(lowering, nodes[0]!, operation === 'trunc' ? 'divide' : 'floorDivide');
    if (rounded !== undefined) return rounded;
    const value = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
    if (isInteger(value.expression.type)) return value;
    const known = value.weak === null ? undefined : constantOf(value);
    // The result of a constant is a whole number, which may be an index.
    if (known !== undefined) return weakNumber(host(Number(known)), lowering.place(node));
    return applyFloat(call, operation, requireFloat(lowering, value, node), host);
  };
}

/** Makes the rule of a function that keeps the type of its number: abs, sign. */
function sameType(operation: UnaryOperation, host: (value: number) => number): Rule {
  return call => {
    const { lowering, node } = call;
    const value = requireScalar(lowering, argumentsOf(call, 1)[0]!, node);
    const { expression } = value;
    if (expression.type === 'bool') return lowering.fail('expected a number, found a boolean', node);
    if (isFloat(expression.type)) return applyFloat(call, operation, value, host);
    return scalar(
      { kind: 'unary', operation, operand: expression, type: expression.type, place: lowering.place(node) },
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

/** Makes the rule of a function of two numbers; `float` converts integers first. */
export function pairFunction(operation: BinaryOperation, float: boolean): Rule {
  return call => {
    const { lowering, node } = call;
    const [a, b] = argumentsOf(call, 2).map(value => number(call, value, float)) as [Scalar, Scalar];
    return combine(lowering, operation, a, b, node);
  };
}

function number({ lowering, node }: Call, value: Value, float: boolean): Scalar {
  return float ? requireFloat(lowering, value, node) : requireScalar(lowering, value, node);
}

/** Makes the rule of a function of any number of arguments, which are combined in turn. */
function variadic(operation: BinaryOperation, float: boolean): Rule {
  return call => {
    const { lowering, node } = call;
    const values = argumentsOf(call, 1, Infinity).map(value => number(call, value, float));
    return values.reduce((left, right) => combine(lowering, operation, left, right, node));
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
    const known = value.weak === 'float' && isInteger(type) ? constantOf(value) : undefined;
    const whole = known === undefined ? value : weakNumber(Math.trunc(Number(known)), lowering.place(node));
    const converted = convert(whole, type);
    if (element === type || element === 'bool') return scalar(converted);
    return scalar({ kind: 'narrow', element, operand: converted, type, place: lowering.place(node) });
  };
}

const FLOAT: Readonly<Partial<Record<keyof Math & UnaryOperation, UnaryOperation>>> = {
  sqrt: 'sqrt',
  cbrt: 'cbrt',
  exp: 'exp',
  expm1: 'expm1',
  log: 'log',
  log2: 'log2',
  log10: 'log10',
  log1p: 'log1p',
  sin: 'sin',
  cos: 'cos',
  tan: 'tan',
  asin: 'asin',
  acos: 'acos',
  atan: 'atan',
  sinh: 'sinh',
  cosh: 'cosh',
  tanh: 'tanh',
  asinh: 'asinh',
  acosh: 'acosh',
  atanh: 'atanh'
};

for (const [name, operation] of Object.entries(FLOAT)) {
  const host = Math[name as 'sqrt'];
  know(host, floatFunction(operation, host));
}
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
know(Math.imul, pairFunction('multiply', false));
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
  if (element !== undefined) know(value, castTo(element));
}
