/** Operators: their types, their constants, and what JavaScript's meaning needs. */

import type { BinaryExpression, BinaryOperator } from 'acorn';
import type { BinaryOperation, Expression, Place } from '../program/program.ts';
import { isComplex, isFloat, isInteger, isSigned, isWide, type ValueType } from '../program/types.ts';
import { Unknowable, requireScalar, type Lowering } from './lowering.ts';
import {
  constant,
  constantOf,
  convert,
  isWhole,
  meet,
  outOfRange,
  scalar,
  weakNumber,
  wrapped
} from './numbers.ts';
import type { Node, Scalar, Value } from './values.ts';

const OPERATIONS: Partial<Readonly<Record<BinaryOperator, BinaryOperation>>> = {
  '+': 'add',
  '-': 'subtract',
  '*': 'multiply',
  '/': 'divide',
  '%': 'remainder',
  '**': 'pow',
  '&': 'and',
  '|': 'or',
  '^': 'xor',
  '<<': 'shiftLeft',
  '>>': 'shiftRight',
  '>>>': 'shiftRight',
  '===': 'equal',
  '==': 'equal',
  '!==': 'notEqual',
  '!=': 'notEqual',
  '<': 'less',
  '<=': 'lessEqual',
  '>': 'greater',
  '>=': 'greaterEqual'
};

const COMPARISONS: ReadonlySet<BinaryOperation> = new Set([
  'equal',
  'notEqual',
  'less',
  'lessEqual',
  'greater',
  'greaterEqual'
]);
const BITS: ReadonlySet<BinaryOperation> = new Set(['and', 'or', 'xor']);
/** What complex numbers have. */
const COMPLEX: ReadonlySet<BinaryOperation> = new Set([
  'add',
  'subtract',
  'multiply',
  'divide',
  'pow',
  'equal',
  'notEqual'
]);

const DIVIDE_HINT =
  'write Math.trunc(a / b), Math.floor(a / b), Math.ceil(a / b) or (a / b) | 0 for a whole number, or f32(a) / f32(b) for a fraction';

/** Multiplies two integers as Math.imul does: what does not fit wraps, literals too. */
export function multiplyIntegers(lowering: Lowering, a: Scalar, b: Scalar, node: Node): Scalar {
  const meeting = meet(a, b);
  if (typeof meeting === 'string') return lowering.fail(`multiply: ${meeting}`, node);
  const { type } = meeting;
  return combine(lowering, 'multiply', wrapped(a, type), wrapped(b, type), node);
}

export function binary(
  operation: BinaryOperation,
  left: Expression,
  right: Expression,
  place: Place
): Expression {
  const type = COMPARISONS.has(operation) ? 'bool' : left.type;
  return { kind: 'binary', operation, left, right, type, place };
}

/** Lowers `a op b`. */
export function lowerBinary(lowering: Lowering, node: BinaryExpression): Value {
  if (node.operator === '|' && isZero(node.right)) return lowerTruncation(lowering, node);
  const [left, right] = lowering.inOrder([node.left, node.right]) as [Value, Value];
  return operate(lowering, node.operator, left, right, node);
}

/** Applies an operator to two values. */
export function operate(lowering: Lowering, operator: string, left: Value, right: Value, node: Node): Value {
  const operation = OPERATIONS[operator as BinaryOperator];
  if (operation === undefined)
    return lowering.fail(`the operator '${operator}' does not work in kernels`, node);
  if (left.kind === 'unknown' || right.kind === 'unknown') throw new Unknowable();
  const a = requireScalar(lowering, left, node);
  const b = requireScalar(lowering, right, node);
  const folded = fold(lowering, operator, a, b, node);
  if (folded !== undefined) return folded;
  if (operation === 'shiftLeft' || operation === 'shiftRight')
    return shift(lowering, operator, operation, a, b, node);
  const made = combine(lowering, operation, a, b, node);
  // Bigints truncate in JavaScript too.
  const { type } = made.expression;
  if (operation === 'divide' && isInteger(type) && !isWide(type))
    return lowering.fail(
      `'/' on two integers (${type}): JavaScript gives a fraction, CUDA would truncate`,
      node,
      DIVIDE_HINT
    );
  return made;
}

/** Applies an operation to two numbers in the type where they meet. */
export function combine(
  lowering: Lowering,
  operation: BinaryOperation,
  a: Scalar,
  b: Scalar,
  node: Node
): Scalar {
  const meeting = meet(a, b);
  if (typeof meeting === 'string') return lowering.fail(`${operation}: ${meeting}`, node);
  let { type } = meeting;
  const { weak } = meeting;
  if (BITS.has(operation)) [a, b] = [wrapped(a, type), wrapped(b, type)];
  const wrong = outOfRange(a, type) ?? outOfRange(b, type);
  if (wrong !== undefined) return lowering.fail(wrong, node);
  if (operation === 'pow' && isInteger(type)) type = 'f32';
  refuseType(lowering, operation, type, node);
  const left = convert(a, type);
  const right = convert(b, type);
  const made = binary(operation, left, right, lowering.place(node));
  return scalar(made, made.type === 'bool' ? null : weak);
}

function refuseType(lowering: Lowering, operation: BinaryOperation, type: ValueType, node: Node): void {
  if (BITS.has(operation) && (isFloat(type) || isComplex(type)))
    lowering.fail(`an operator on bits needs integers, found ${type}`, node, 'write i32(x)');
  if (isComplex(type) && !COMPLEX.has(operation))
    lowering.fail(
      `${operation} is not defined for complex numbers (${type})`,
      node,
      'use cuda.real(x), cuda.imag(x) or Math.abs(x)'
    );
  const equality = operation === 'equal' || operation === 'notEqual';
  if (type === 'bool' && !equality && !BITS.has(operation))
    lowering.fail(`${operation} needs numbers, found booleans`, node, 'write (condition ? 1 : 0)');
}

function shift(
  lowering: Lowering,
  operator: string,
  operation: 'shiftLeft' | 'shiftRight',
  a: Scalar,
  b: Scalar,
  node: Node
): Scalar {
  const own = a.expression.type;
  if (!isInteger(own) || !isInteger(b.expression.type))
    return lowering.fail(`'${operator}' needs integers`, node, 'write i32(x)');
  if (operator === '>>>' && isWide(own))
    return lowering.fail("'>>>' does not work on bigints", node, 'write u64(x) >> n');
  const type = operator === '>>>' ? 'u32' : own;
  if (isWide(own) !== isWide(b.expression.type))
    return lowering.fail(`'${operator}': write both with n, or neither`, node);
  const made = binary(operation, convert(a, type), convert(b, type), lowering.place(node));
  return scalar(made, operator === '>>>' ? null : a.weak);
}

/** Computes an operation of two constants. */
function fold(lowering: Lowering, operator: string, a: Scalar, b: Scalar, node: Node): Scalar | undefined {
  const left = constantOf(a);
  const right = constantOf(b);
  if (left === undefined || right === undefined || a.weak === null || b.weak === null) return undefined;
  if (typeof left !== typeof right) return undefined;
  const value = foldValues(operator, left as number, right as number);
  if (value === undefined) return undefined;
  const float = (a.weak === 'float' || b.weak === 'float') && typeof value === 'number';
  return weakNumber(value, lowering.place(node), float);
}

function foldValues(operator: string, a: number, b: number): number | boolean | undefined {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return typeof a === 'bigint' && Number(b) === 0 ? undefined : a / b;
    case '%':
      return typeof a === 'bigint' && Number(b) === 0 ? undefined : a % b;
    case '**':
      return Number(b) < 0 && typeof a === 'bigint' ? undefined : a ** b;
    case '<<':
      return a << b;
    case '>>':
      return a >> b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '===':
    case '==':
      return a === b;
    case '!==':
    case '!=':
      return a !== b;
    default:
      return undefined;
  }
}

const isZero = (node: Node): boolean => node.type === 'Literal' && node.value === 0;

/** Lowers `x | 0`: a quotient of integers truncates, a fraction becomes i32. */
function lowerTruncation(lowering: Lowering, node: BinaryExpression): Value {
  const quotient = integerQuotient(lowering, node.left, 'divide');
  if (quotient !== undefined) return quotient;
  const value = requireScalar(lowering, lowering.parts.expression(node.left), node.left);
  const { type } = value.expression;
  if (!isFloat(type)) return combine(lowering, 'or', value, weakNumber(0, lowering.place(node)), node);
  return scalar(convert(value, 'i32'));
}

/**
 * Lowers a quotient of two integers with its rounding, for Math.trunc(a / b) and its like; undefined, without having lowered anything,
 * if the node is no quotient of integers.
 */
export function integerQuotient(
  lowering: Lowering,
  node: Node,
  operation: 'divide' | 'floorDivide' | 'ceilDivide'
): Scalar | undefined {
  if (node.type !== 'BinaryExpression' || node.operator !== '/') return undefined;
  // Tried apart, because operands that are no integers are lowered again by the caller.
  const counted = lowering.variables.length;
  const { result, statements } = lowering.apart(() => lowering.inOrder([node.left as Node, node.right]));
  const [a, b] = result as [Value, Value];
  const whole =
    a.kind === 'scalar' &&
    b.kind === 'scalar' &&
    isInteger(a.expression.type) &&
    isInteger(b.expression.type);
  if (!whole || (constantOf(a) !== undefined && constantOf(b) !== undefined)) {
    lowering.variables.length = counted;
    return undefined;
  }
  lowering.out.push(...statements);
  return operation === 'ceilDivide'
    ? ceilDivide(lowering, a, b, node)
    : combine(lowering, operation, a, b, node);
}

/** Makes the quotient rounded up: one more than that rounded down, unless nothing remains. By zero it is the same, as of every rounding. */
function ceilDivide(lowering: Lowering, a: Scalar, b: Scalar, node: Node): Scalar {
  const place = lowering.place(node);
  const kept = (each: Scalar): Scalar => scalar(lowering.keepUnlessStable(each.expression), each.weak);
  const [dividend, divisor] = [kept(a), kept(b)];
  const floor = combine(lowering, 'floorDivide', dividend, divisor, node);
  const { type } = floor.expression;
  const whole = lowering.keep(floor.expression);
  const [upper, lower] = [convert(dividend, type), convert(divisor, type)];
  const number = (value: number): Expression => constant(type, isWide(type) ? BigInt(value) : value, place);
  const left = binary('notEqual', lower, number(0), place);
  const right = binary('notEqual', binary('multiply', whole, lower, place), upper, place);
  const condition: Expression = { kind: 'logical', operation: 'and', left, right, type: 'bool', place };
  const step: Expression = { kind: 'select', condition, then: number(1), otherwise: number(0), type, place };
  return scalar(binary('add', whole, step, place), floor.weak);
}

/** Lowers `-x`, `+x`, `!x` and `~x`. */
export function lowerUnary(lowering: Lowering, operator: string, value: Value, node: Node): Value {
  const operand = requireScalar(lowering, value, node);
  const { type } = operand.expression;
  const place = lowering.place(node);
  const known = operand.weak === null ? undefined : constantOf(operand);
  switch (operator) {
    case '+':
      return operand;
    case '-':
      if (type === 'bool') return lowering.fail('a boolean has no negative', node);
      if (known !== undefined && known !== 0)
        return weakNumber(-(known as number), place, operand.weak === 'float');
      if (known === 0) return scalar(constant('f32', -0, place), 'float');
      return scalar(
        { kind: 'unary', operation: 'negate', operand: operand.expression, type, place },
        operand.weak
      );
    case '!':
      if (type !== 'bool') return lowering.fail(`'!' needs a boolean, found ${type}`, node, 'write x === 0');
      return scalar({ kind: 'unary', operation: 'not', operand: operand.expression, type, place });
    case '~':
      if (!isInteger(type)) return lowering.fail(`'~' needs an integer, found ${type}`, node, 'write i32(x)');
      return scalar(
        { kind: 'unary', operation: 'invert', operand: operand.expression, type, place },
        operand.weak
      );
    default:
      return lowering.fail(`the operator '${operator}' does not work in kernels`, node);
  }
}

/** Returns an index as i32 or i64. */
export function toIndex(lowering: Lowering, value: Value, node: Node): Expression {
  const index = requireScalar(lowering, value, node, 'an index');
  const { type } = index.expression;
  if (isWhole(index.expression)) return convert(index, 'i32');
  if (!isInteger(type))
    return lowering.fail(
      `an index must be an integer, found ${type}`,
      node,
      'write i32(x), x | 0, or Math.floor(x) in the brackets'
    );
  if (type === 'i32' || type === 'i64') return convert(index, type);
  return convert(index, isSigned(type) || type === 'u64' ? 'i64' : 'i32');
}
