/**
 * Elementwise functions, named as in the array API standard in camelCase. Each takes arrays (broadcast against each other) and
 * values, gives a new array or writes `out`, and inside `fuse` takes expressions and gives one. Types are those of NumPy 2: values
 * of the program count by their kind, so that float32 plus 1.5 is float32.
 */

import { NDArray } from '../array/array.ts';
import type { DTypeName } from '../dtype/dtype.ts';
import type { Scalar } from '../dtype/host-array.ts';
import { ArgumentError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import { Computation } from './computation.ts';
import { compute, type OutOption } from './evaluate.ts';
import { Expression } from '../compute/program/expression.ts';
import type { Opcode } from '../compute/program/opcodes.ts';
import { elementTypeOf, isComplexValue, type Promoted } from '../compute/program/promotion.ts';
import { applyRule, type Term } from './rules.ts';

export type Operand = NDArray | Expression | Scalar;

type ExpressionOperand = Expression | Scalar;
export type Floating<D extends DTypeName> = D extends `float${string}` | 'bfloat16' | `complex${string}`
  ? D
  : DTypeName;
export type Part<D extends DTypeName> = D extends 'complex64'
  ? 'float32'
  : D extends 'complex128'
    ? 'float64'
    : D;
/** The float that two types go into, as far as it is known. */
export type FloatOf<A extends DTypeName, B extends DTypeName> = [A, B] extends [B, A]
  ? Floating<A>
  : [A | B] extends ['float16' | 'float32' | 'float64']
    ? Promoted<A, B>
    : DTypeName;
/** Where bool has no meaning of its own, it counts as int8. */
export type Counted<D extends DTypeName> = D extends 'bool' ? 'int8' : D;
/** Values but complex ones, beside which floats stay what they are; integers may become floats. */
export type RealValue = number | bigint | boolean;
export type BesideValue<D extends DTypeName> = D extends `float${string}` | 'bfloat16' | `complex${string}`
  ? D
  : DTypeName;

/** One operand; the result has its type. */
export interface Unary {
  <D extends DTypeName>(x: NDArray<D>, options?: OutOption): NDArray<D>;
  (x: ExpressionOperand): Expression;
}
/** One operand; integers become floats. */
export interface UnaryFloat {
  <D extends DTypeName>(x: NDArray<D>, options?: OutOption): NDArray<Floating<D>>;
  (x: ExpressionOperand): Expression;
}
/** One operand, of which bool counts as int8. */
export interface UnaryCounted {
  <D extends DTypeName>(x: NDArray<D>, options?: OutOption): NDArray<Counted<D>>;
  (x: ExpressionOperand): Expression;
}
export interface UnaryPart {
  <D extends DTypeName>(x: NDArray<D>, options?: OutOption): NDArray<Part<D>>;
  (x: ExpressionOperand): Expression;
}
export interface UnaryTest {
  (x: NDArray, options?: OutOption): NDArray<'bool'>;
  (x: ExpressionOperand): Expression;
}
/** Two operands, of which one is an array; the result has the type that both go into. */
export interface Binary {
  <A extends DTypeName, B extends DTypeName>(
    a: NDArray<A>,
    b: NDArray<B>,
    options?: OutOption
  ): NDArray<Promoted<A, B>>;
  <A extends DTypeName>(a: NDArray<A>, b: RealValue, options?: OutOption): NDArray<BesideValue<A>>;
  <B extends DTypeName>(a: RealValue, b: NDArray<B>, options?: OutOption): NDArray<BesideValue<B>>;
  (a: NDArray, b: Scalar, options?: OutOption): NDArray;
  (a: Scalar, b: NDArray, options?: OutOption): NDArray;
  (a: ExpressionOperand, b: ExpressionOperand): Expression;
}
/** The same, where bool counts as int8. */
export interface BinaryCounted {
  <A extends DTypeName, B extends DTypeName>(
    a: NDArray<A>,
    b: NDArray<B>,
    options?: OutOption
  ): NDArray<Counted<Promoted<A, B>>>;
  <A extends DTypeName>(a: NDArray<A>, b: RealValue, options?: OutOption): NDArray<BesideValue<A>>;
  <B extends DTypeName>(a: RealValue, b: NDArray<B>, options?: OutOption): NDArray<BesideValue<B>>;
  (a: NDArray, b: Scalar, options?: OutOption): NDArray;
  (a: Scalar, b: NDArray, options?: OutOption): NDArray;
  (a: ExpressionOperand, b: ExpressionOperand): Expression;
}
/** The same, where integers become floats. */
export interface BinaryFloat {
  <A extends DTypeName, B extends DTypeName>(
    a: NDArray<A>,
    b: NDArray<B>,
    options?: OutOption
  ): NDArray<FloatOf<A, B>>;
  <A extends DTypeName>(a: NDArray<A>, b: RealValue, options?: OutOption): NDArray<BesideValue<A>>;
  <B extends DTypeName>(a: RealValue, b: NDArray<B>, options?: OutOption): NDArray<BesideValue<B>>;
  (a: NDArray, b: Scalar, options?: OutOption): NDArray;
  (a: Scalar, b: NDArray, options?: OutOption): NDArray;
  (a: ExpressionOperand, b: ExpressionOperand): Expression;
}
export interface BinaryTest {
  (a: NDArray, b: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
  (a: Scalar, b: NDArray, options?: OutOption): NDArray<'bool'>;
  (a: ExpressionOperand, b: ExpressionOperand): Expression;
}
export interface Choice {
  <A extends DTypeName, B extends DTypeName>(
    condition: NDArray,
    a: NDArray<A>,
    b: NDArray<B>,
    options?: OutOption
  ): NDArray<Promoted<A, B>>;
  (condition: NDArray, a: NDArray | Scalar, b: NDArray | Scalar, options?: OutOption): NDArray;
  (condition: ExpressionOperand, a: ExpressionOperand, b: ExpressionOperand): Expression;
}

const isValue = (value: unknown): value is Scalar =>
  typeof value === 'number' ||
  typeof value === 'bigint' ||
  typeof value === 'boolean' ||
  isComplexValue(value);

/** What operands of these types and values are computed by; values and dtypes lead from map to map. */
type Known = Map<unknown, Known | Computation>;

/** Values of the program change without end, so a map that grows past this is emptied. */
const MOST_KNOWN = 128;

/** Undefined for what is not remembered: expressions, complex numbers, and -0, which maps take for 0. */
function keyOf(operand: unknown): unknown {
  if (operand instanceof NDArray) return operand.dtype;
  if (typeof operand === 'number') return Object.is(operand, -0) ? undefined : operand;
  return typeof operand === 'bigint' || typeof operand === 'boolean' ? operand : undefined;
}

/** The function of that many operands for an instruction. */
function define<Signature>(name: Exclude<Opcode, 'cast'>, arity: number): Signature {
  const root: Known = new Map<unknown, Known | Computation>();
  const call = (...all: unknown[]): NDArray | Expression => {
    const options = (all[arity] ?? {}) as OutOption;
    const inputs: NDArray[] = [];
    let found: Known | Computation | undefined = root;
    for (let index = 0; index < arity; index++) {
      const operand = all[index];
      if (operand instanceof NDArray) inputs.push(operand as NDArray);
      if (found !== undefined) found = (found as Known).get(keyOf(operand));
    }
    if (found !== undefined && inputs.length > 0) return compute(found as Computation, inputs, options);
    const operands = all.slice(0, arity);
    const terms = termsOf(name, operands);
    if (!operands.some(operand => operand instanceof Expression)) {
      if (inputs.length === 0) throw new ArgumentError(`${name}: at least one operand must be an array`);
      const types = inputs.map(({ dtype }) => elementTypeOf(dtype));
      const computation = new Computation(applyRule(name, terms), types);
      remember(root, operands.map(keyOf), computation);
      return compute(computation, inputs, options);
    }
    if (inputs.length > 0)
      throw new ArgumentError(`${name}: inside fuse(), pass the array as an argument of the fused function`);
    return applyRule(name, terms);
  };
  return call as Signature;
}

function termsOf(name: string, operands: readonly unknown[]): Term[] {
  let inputs = 0;
  return operands.map((operand, index) => {
    if (operand instanceof NDArray)
      return Expression.input(inputs++, elementTypeOf((operand as NDArray).dtype));
    if (operand instanceof Expression || isValue(operand)) return operand;
    throw new ArgumentError(`${name}: operand ${index + 1} is ${textOf(operand)}, not an array or a value`);
  });
}

function remember(root: Known, keys: readonly unknown[], computation: Computation): void {
  if (keys.includes(undefined)) return;
  let at = root;
  for (const [index, key] of keys.entries()) {
    if (at.size >= MOST_KNOWN && !at.has(key)) at.clear();
    const last = index === keys.length - 1;
    const next = at.get(key) ?? (last ? computation : new Map<unknown, Known | Computation>());
    at.set(key, next);
    if (!last) at = next as Known;
  }
}

export const negative = define<Unary>('negative', 1);
export const abs = define<UnaryPart>('abs', 1);
export const sign = define<Unary>('sign', 1);
export const square = define<UnaryCounted>('square', 1);
export const reciprocal = define<UnaryFloat>('reciprocal', 1);
export const sqrt = define<UnaryFloat>('sqrt', 1);
/** 1 / sqrt(x) */
export const rsqrt = define<UnaryFloat>('rsqrt', 1);
export const cbrt = define<UnaryFloat>('cbrt', 1);
export const exp = define<UnaryFloat>('exp', 1);
export const exp2 = define<UnaryFloat>('exp2', 1);
export const expm1 = define<UnaryFloat>('expm1', 1);
export const log = define<UnaryFloat>('log', 1);
export const log2 = define<UnaryFloat>('log2', 1);
export const log10 = define<UnaryFloat>('log10', 1);
export const log1p = define<UnaryFloat>('log1p', 1);
export const sin = define<UnaryFloat>('sin', 1);
export const cos = define<UnaryFloat>('cos', 1);
export const tan = define<UnaryFloat>('tan', 1);
export const asin = define<UnaryFloat>('asin', 1);
export const acos = define<UnaryFloat>('acos', 1);
export const atan = define<UnaryFloat>('atan', 1);
export const sinh = define<UnaryFloat>('sinh', 1);
export const cosh = define<UnaryFloat>('cosh', 1);
export const tanh = define<UnaryFloat>('tanh', 1);
export const asinh = define<UnaryFloat>('asinh', 1);
export const acosh = define<UnaryFloat>('acosh', 1);
export const atanh = define<UnaryFloat>('atanh', 1);
/** The error function. */
export const erf = define<UnaryFloat>('erf', 1);
export const floor = define<Unary>('floor', 1);
export const ceil = define<Unary>('ceil', 1);
export const trunc = define<Unary>('trunc', 1);
/** To the nearest whole number, halves to the even one. */
export const round = define<Unary>('round', 1);
export const real = define<UnaryPart>('real', 1);
export const imag = define<UnaryPart>('imag', 1);
export const conj = define<Unary>('conj', 1);
export const isnan = define<UnaryTest>('isnan', 1);
export const isinf = define<UnaryTest>('isinf', 1);
export const isfinite = define<UnaryTest>('isfinite', 1);
export const signbit = define<UnaryTest>('signbit', 1);
export const logicalNot = define<UnaryTest>('logical_not', 1);
export const bitwiseInvert = define<Unary>('bitwise_invert', 1);
export const add = define<Binary>('add', 2);
export const subtract = define<Binary>('subtract', 2);
export const multiply = define<Binary>('multiply', 2);
/** True division: of integers it is float64. */
export const divide = define<BinaryFloat>('divide', 2);
/** Rounded down; integers by zero give 0. */
export const floorDivide = define<BinaryCounted>('floor_divide', 2);
/** Of the sign of the divisor. */
export const remainder = define<BinaryCounted>('remainder', 2);
export const pow = define<BinaryCounted>('pow', 2);
export const atan2 = define<BinaryFloat>('atan2', 2);
export const hypot = define<BinaryFloat>('hypot', 2);
export const copysign = define<BinaryFloat>('copysign', 2);
export const logaddexp = define<BinaryFloat>('logaddexp', 2);
/** NaN where either is. */
export const minimum = define<Binary>('minimum', 2);
/** NaN where either is. */
export const maximum = define<Binary>('maximum', 2);
export const bitwiseAnd = define<Binary>('bitwise_and', 2);
export const bitwiseOr = define<Binary>('bitwise_or', 2);
export const bitwiseXor = define<Binary>('bitwise_xor', 2);
export const bitwiseLeftShift = define<BinaryCounted>('bitwise_left_shift', 2);
export const bitwiseRightShift = define<BinaryCounted>('bitwise_right_shift', 2);
export const logicalAnd = define<BinaryTest>('logical_and', 2);
export const logicalOr = define<BinaryTest>('logical_or', 2);
export const logicalXor = define<BinaryTest>('logical_xor', 2);
export const equal = define<BinaryTest>('equal', 2);
export const notEqual = define<BinaryTest>('not_equal', 2);
export const less = define<BinaryTest>('less', 2);
export const lessEqual = define<BinaryTest>('less_equal', 2);
export const greater = define<BinaryTest>('greater', 2);
export const greaterEqual = define<BinaryTest>('greater_equal', 2);
/** `a` where the condition holds (is true, or not zero), else `b`. */
export const where = define<Choice>('where', 3);
