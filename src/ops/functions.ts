/**
 * Elementwise functions, named as in the array API standard in camelCase. Each takes arrays (broadcast against each other) and
 * values, gives a new array or writes `out`, and inside `fuse` takes expressions and gives one. Types are those of NumPy 2: values
 * of the program count by their kind, so that float32 plus 1.5 is float32.
 */

import { define, defineComposite } from './define.ts';
import {
  analytic,
  realAnalytic,
  bits,
  boolAsInt8,
  choice,
  clipping,
  inType,
  logical,
  notBool,
  notComplex,
  power,
  realNumber,
  rounding,
  same,
  shift,
  trueDivision
} from './rules.ts';
import type {
  Binary,
  BinaryCounted,
  BinaryFloat,
  BinaryTest,
  Choice,
  Clip,
  Unary,
  UnaryCounted,
  UnaryFloat,
  UnaryPart,
  UnaryTest
} from './signatures.ts';

export const negative = define<Unary>('negative', inType(notBool));
export const abs = define<UnaryPart>('abs', inType(same));
export const sign = define<Unary>('sign', inType(notBool));
export const square = define<UnaryCounted>('square', inType(boolAsInt8));
export const reciprocal = define<UnaryFloat>('reciprocal', inType(trueDivision));
export const sqrt = define<UnaryFloat>('sqrt', analytic);
/** 1 / sqrt(x) */
export const rsqrt = define<UnaryFloat>('rsqrt', realAnalytic);
export const cbrt = define<UnaryFloat>('cbrt', realAnalytic);
export const exp = define<UnaryFloat>('exp', analytic);
export const exp2 = define<UnaryFloat>('exp2', realAnalytic);
export const expm1 = define<UnaryFloat>('expm1', realAnalytic);
export const log = define<UnaryFloat>('log', analytic);
export const log2 = define<UnaryFloat>('log2', realAnalytic);
export const log10 = define<UnaryFloat>('log10', analytic);
export const log1p = define<UnaryFloat>('log1p', realAnalytic);
export const sin = define<UnaryFloat>('sin', analytic);
export const cos = define<UnaryFloat>('cos', analytic);
export const tan = define<UnaryFloat>('tan', analytic);
export const asin = define<UnaryFloat>('asin', analytic);
export const acos = define<UnaryFloat>('acos', analytic);
export const atan = define<UnaryFloat>('atan', analytic);
export const sinh = define<UnaryFloat>('sinh', analytic);
export const cosh = define<UnaryFloat>('cosh', analytic);
export const tanh = define<UnaryFloat>('tanh', analytic);
export const asinh = define<UnaryFloat>('asinh', analytic);
export const acosh = define<UnaryFloat>('acosh', analytic);
export const atanh = define<UnaryFloat>('atanh', analytic);
/** The error function. */
export const erf = define<UnaryFloat>('erf', realAnalytic);
export const floor = define<Unary>('floor', rounding);
export const ceil = define<Unary>('ceil', rounding);
export const trunc = define<Unary>('trunc', rounding);
/** To the nearest whole number, halves to the even one. */
export const round = define<Unary>('round', rounding);
export const real = define<UnaryPart>('real', inType(same));
export const imag = define<UnaryPart>('imag', inType(same));
export const conj = define<Unary>('conj', inType(same));
export const isnan = define<UnaryTest>('isnan', inType(same));
export const isinf = define<UnaryTest>('isinf', inType(same));
export const isfinite = define<UnaryTest>('isfinite', inType(same));
export const signbit = define<UnaryTest>('signbit', inType(notComplex));
export const logicalNot = define<UnaryTest>('logical_not', logical);
export const bitwiseInvert = define<Unary>('bitwise_invert', inType(bits));
export const add = define<Binary>('add', inType(same));
export const subtract = define<Binary>('subtract', inType(notBool));
export const multiply = define<Binary>('multiply', inType(same));
/** True division: of integers it is float64. */
export const divide = define<BinaryFloat>('divide', inType(trueDivision));
/** Rounded down; integers by zero give 0. */
export const floorDivide = define<BinaryCounted>('floor_divide', inType(realNumber));
/** Of the sign of the divisor. */
export const remainder = define<BinaryCounted>('remainder', inType(realNumber));
export const pow = define<BinaryCounted>('pow', power);
export const atan2 = define<BinaryFloat>('atan2', realAnalytic);
export const hypot = define<BinaryFloat>('hypot', realAnalytic);
export const copysign = define<BinaryFloat>('copysign', realAnalytic);
export const logaddexp = define<BinaryFloat>('logaddexp', realAnalytic);
/** The next value of the dtype after `a` in the direction of `b`. */
export const nextafter = define<BinaryFloat>('nextafter', realAnalytic);
/** NaN where either is. */
export const minimum = define<Binary>('minimum', inType(notComplex));
/** NaN where either is. */
export const maximum = define<Binary>('maximum', inType(notComplex));
export const bitwiseAnd = define<Binary>('bitwise_and', inType(bits));
export const bitwiseOr = define<Binary>('bitwise_or', inType(bits));
export const bitwiseXor = define<Binary>('bitwise_xor', inType(bits));
export const bitwiseLeftShift = define<BinaryCounted>('bitwise_left_shift', inType(shift));
export const bitwiseRightShift = define<BinaryCounted>('bitwise_right_shift', inType(shift));
export const logicalAnd = define<BinaryTest>('logical_and', logical);
export const logicalOr = define<BinaryTest>('logical_or', logical);
export const logicalXor = define<BinaryTest>('logical_xor', logical);
export const equal = define<BinaryTest>('equal', inType(same));
export const notEqual = define<BinaryTest>('not_equal', inType(same));
export const less = define<BinaryTest>('less', inType(notComplex));
export const lessEqual = define<BinaryTest>('less_equal', inType(notComplex));
export const greater = define<BinaryTest>('greater', inType(notComplex));
export const greaterEqual = define<BinaryTest>('greater_equal', inType(notComplex));
/** `a` where the condition holds (is true, or not zero), else `b`. */
export const where = define<Choice>('where', choice);

type AnyFunction = (...operands: unknown[]) => unknown;
const raised = defineComposite<AnyFunction>('clip', 2, clipping('maximum'));
const lowered = defineComposite<AnyFunction>('clip', 2, clipping('minimum'));
const between = defineComposite<AnyFunction>('clip', 3, clipping('maximum', 'minimum'));
const copied = defineComposite<AnyFunction>('clip', 1, clipping());
/**
 * The elements of `x`, raised to `least` where they are less and lowered to `most` where they are greater; NaN where any of the three
 * is. A bound of null limits nothing, nor does a whole number past the range of an integer `x`. Where `least` exceeds `most`, `most` wins.
 */
export const clip = ((x: unknown, least: unknown, most: unknown = null, options?: unknown) => {
  if (least !== null) return most === null ? raised(x, least, options) : between(x, least, most, options);
  return most === null ? copied(x, options) : lowered(x, most, options);
}) as Clip;
