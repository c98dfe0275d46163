/**
 * Elementwise functions, named as in the array API standard in camelCase. Each takes arrays (broadcast against each other) and
 * values, and gives a new array or writes `out`. Types are those of NumPy 2: values of the program count by their kind, so that
 * float32 plus 1.5 is float32.
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
import type { Binary, BinaryTest, Choice, Clip, Unary } from './signatures.ts';

/** Returns -x, element by element; the result has the dtype of `x`. @throws DTypeError for bool */
export const negative = define<Unary>('negative', inType(notBool));
/** Returns the absolute value of each element; for complex types the magnitude, as a float. */
export const abs = define<Unary<'part'>>('abs', inType(same));
/** Returns the sign of each element: -1, 0 or 1; for complex numbers `x / abs(x)`. @throws DTypeError for bool */
export const sign = define<Unary>('sign', inType(notBool));
/** Returns `x * x`, element by element; bool counts as int8. */
export const square = define<Unary<'counted'>>('square', inType(boolAsInt8));
/** Returns `1 / x`, element by element; integers become floats. */
export const reciprocal = define<Unary<'float'>>('reciprocal', inType(trueDivision));
/** Returns the square root of each element; NaN for negative real numbers. Integers become floats. */
export const sqrt = define<Unary<'float'>>('sqrt', analytic);
/** Returns `1 / sqrt(x)`, element by element; integers become floats. */
export const rsqrt = define<Unary<'float'>>('rsqrt', realAnalytic);
/** Returns the cube root of each element; integers become floats. */
export const cbrt = define<Unary<'float'>>('cbrt', realAnalytic);
/** Returns e raised to each element; integers become floats. */
export const exp = define<Unary<'float'>>('exp', analytic);
/** Returns 2 raised to each element; integers become floats. */
export const exp2 = define<Unary<'float'>>('exp2', realAnalytic);
/** Returns `exp(x) - 1`, element by element, accurate for small `x`; integers become floats. */
export const expm1 = define<Unary<'float'>>('expm1', realAnalytic);
/** Returns the natural logarithm of each element; integers become floats. */
export const log = define<Unary<'float'>>('log', analytic);
/** Returns the base-2 logarithm of each element; integers become floats. */
export const log2 = define<Unary<'float'>>('log2', realAnalytic);
/** Returns the base-10 logarithm of each element; integers become floats. */
export const log10 = define<Unary<'float'>>('log10', analytic);
/** Returns `log(1 + x)`, element by element, accurate for small `x`; integers become floats. */
export const log1p = define<Unary<'float'>>('log1p', realAnalytic);
/** Returns the sine of each element, in radians; integers become floats. */
export const sin = define<Unary<'float'>>('sin', analytic);
/** Returns the cosine of each element, in radians; integers become floats. */
export const cos = define<Unary<'float'>>('cos', analytic);
/** Returns the tangent of each element, in radians; integers become floats. */
export const tan = define<Unary<'float'>>('tan', analytic);
/** Returns the inverse sine of each element, in radians; integers become floats. */
export const asin = define<Unary<'float'>>('asin', analytic);
/** Returns the inverse cosine of each element, in radians; integers become floats. */
export const acos = define<Unary<'float'>>('acos', analytic);
/** Returns the inverse tangent of each element, in radians; integers become floats. */
export const atan = define<Unary<'float'>>('atan', analytic);
/** Returns the hyperbolic sine of each element; integers become floats. */
export const sinh = define<Unary<'float'>>('sinh', analytic);
/** Returns the hyperbolic cosine of each element; integers become floats. */
export const cosh = define<Unary<'float'>>('cosh', analytic);
/** Returns the hyperbolic tangent of each element; integers become floats. */
export const tanh = define<Unary<'float'>>('tanh', analytic);
/** Returns the inverse hyperbolic sine of each element; integers become floats. */
export const asinh = define<Unary<'float'>>('asinh', analytic);
/** Returns the inverse hyperbolic cosine of each element; integers become floats. */
export const acosh = define<Unary<'float'>>('acosh', analytic);
/** Returns the inverse hyperbolic tangent of each element; integers become floats. */
export const atanh = define<Unary<'float'>>('atanh', analytic);
/** Returns the error function of each element; integers become floats. */
export const erf = define<Unary<'float'>>('erf', realAnalytic);
/** Rounds each element down to a whole number; the dtype stays. */
export const floor = define<Unary>('floor', rounding);
/** Rounds each element up to a whole number; the dtype stays. */
export const ceil = define<Unary>('ceil', rounding);
/** Rounds each element toward zero to a whole number; the dtype stays. */
export const trunc = define<Unary>('trunc', rounding);
/** Rounds each element to the nearest whole number, halves to the even one; the dtype stays. */
export const round = define<Unary>('round', rounding);
/** Returns the real part of each element; real dtypes stay. */
export const real = define<Unary<'part'>>('real', inType(same));
/** Returns the imaginary part of each element; 0 for real dtypes. */
export const imag = define<Unary<'part'>>('imag', inType(same));
/** Returns the complex conjugate of each element; real dtypes stay. */
export const conj = define<Unary>('conj', inType(same));
/** Tests each element for NaN. The result is bool. */
export const isnan = define<Unary<'bool'>>('isnan', inType(same));
/** Tests each element for positive or negative infinity. The result is bool. */
export const isinf = define<Unary<'bool'>>('isinf', inType(same));
/** Tests each element for being neither infinite nor NaN. The result is bool. */
export const isfinite = define<Unary<'bool'>>('isfinite', inType(same));
/** Tests the sign bit of each element, set for negative numbers and -0. The result is bool. @throws DTypeError for complex dtypes */
export const signbit = define<Unary<'bool'>>('signbit', inType(notComplex));
/** Tests each element for being false or zero. The result is bool. */
export const logicalNot = define<Unary<'bool'>>('logical_not', logical);
/** Inverts the bits of each element, of an integer or bool dtype. */
export const bitwiseInvert = define<Unary>('bitwise_invert', inType(bits));
/** Returns `a + b`, element by element, with broadcasting; the result has the promoted dtype. */
export const add = define<Binary>('add', inType(same));
/** Returns `a - b`, element by element, with broadcasting; the result has the promoted dtype. @throws DTypeError for bool */
export const subtract = define<Binary>('subtract', inType(notBool));
/** Returns `a * b`, element by element, with broadcasting; the result has the promoted dtype. */
export const multiply = define<Binary>('multiply', inType(same));
/** Returns `a / b`, element by element, with broadcasting; integers become float64. */
export const divide = define<Binary<'float'>>('divide', inType(trueDivision));
/** Returns `a / b` rounded down, element by element, with broadcasting; integers divided by zero give 0. */
export const floorDivide = define<Binary<'counted'>>('floor_divide', inType(realNumber));
/** Returns the remainder of `a / b`, which has the sign of `b`, element by element, with broadcasting. */
export const remainder = define<Binary<'counted'>>('remainder', inType(realNumber));
/** Returns `a` raised to the power `b`, element by element, with broadcasting; bool counts as int8. */
export const pow = define<Binary<'counted'>>('pow', power);
/** Returns the angle of the point (x = `b`, y = `a`) in radians, from -pi to pi, element by element, with broadcasting. */
export const atan2 = define<Binary<'float'>>('atan2', realAnalytic);
/** Returns `sqrt(a² + b²)` without overflow in between, element by element, with broadcasting. */
export const hypot = define<Binary<'float'>>('hypot', realAnalytic);
/** Returns the magnitude of `a` with the sign of `b`, element by element, with broadcasting. */
export const copysign = define<Binary<'float'>>('copysign', realAnalytic);
/** Returns `log(exp(a) + exp(b))` without overflow in between, element by element, with broadcasting. */
export const logaddexp = define<Binary<'float'>>('logaddexp', realAnalytic);
/** Returns the next representable value of the dtype after `a` in the direction of `b`, element by element, with broadcasting. */
export const nextafter = define<Binary<'float'>>('nextafter', realAnalytic);
/** Returns the smaller of `a` and `b`, element by element, with broadcasting; NaN if either is NaN. @throws DTypeError for complex dtypes */
export const minimum = define<Binary>('minimum', inType(notComplex));
/** Returns the larger of `a` and `b`, element by element, with broadcasting; NaN if either is NaN. @throws DTypeError for complex dtypes */
export const maximum = define<Binary>('maximum', inType(notComplex));
/** Returns the bitwise AND of integers or bools, element by element, with broadcasting. */
export const bitwiseAnd = define<Binary>('bitwise_and', inType(bits));
/** Returns the bitwise OR of integers or bools, element by element, with broadcasting. */
export const bitwiseOr = define<Binary>('bitwise_or', inType(bits));
/** Returns the bitwise XOR of integers or bools, element by element, with broadcasting. */
export const bitwiseXor = define<Binary>('bitwise_xor', inType(bits));
/** Shifts the bits of `a` left by `b`, element by element, with broadcasting; bool counts as int8. */
export const bitwiseLeftShift = define<Binary<'counted'>>('bitwise_left_shift', inType(shift));
/** Shifts the bits of `a` right by `b`, element by element, with broadcasting; bool counts as int8. */
export const bitwiseRightShift = define<Binary<'counted'>>('bitwise_right_shift', inType(shift));
/** Tests whether both elements are true or non-zero, with broadcasting. The result is bool. */
export const logicalAnd = define<BinaryTest>('logical_and', logical);
/** Tests whether either element is true or non-zero, with broadcasting. The result is bool. */
export const logicalOr = define<BinaryTest>('logical_or', logical);
/** Tests whether exactly one of two elements is true or non-zero, with broadcasting. The result is bool. */
export const logicalXor = define<BinaryTest>('logical_xor', logical);
/** Tests `a === b`, element by element, with broadcasting. The result is bool. */
export const equal = define<BinaryTest>('equal', inType(same));
/** Tests `a !== b`, element by element, with broadcasting. The result is bool. */
export const notEqual = define<BinaryTest>('not_equal', inType(same));
/** Tests `a < b`, element by element, with broadcasting. The result is bool. @throws DTypeError for complex dtypes */
export const less = define<BinaryTest>('less', inType(notComplex));
/** Tests `a <= b`, element by element, with broadcasting. The result is bool. @throws DTypeError for complex dtypes */
export const lessEqual = define<BinaryTest>('less_equal', inType(notComplex));
/** Tests `a > b`, element by element, with broadcasting. The result is bool. @throws DTypeError for complex dtypes */
export const greater = define<BinaryTest>('greater', inType(notComplex));
/** Tests `a >= b`, element by element, with broadcasting. The result is bool. @throws DTypeError for complex dtypes */
export const greaterEqual = define<BinaryTest>('greater_equal', inType(notComplex));
/** Selects elements by a condition: `a` where it is true or non-zero, otherwise `b`, with broadcasting. */
export const where = define<Choice>('where', choice);

type AnyFunction = (...operands: unknown[]) => unknown;
const raised = defineComposite<AnyFunction>('clip', 2, clipping('maximum'));
const lowered = defineComposite<AnyFunction>('clip', 2, clipping('minimum'));
const between = defineComposite<AnyFunction>('clip', 3, clipping('maximum', 'minimum'));
const copied = defineComposite<AnyFunction>('clip', 1, clipping());
/**
 * Limits the elements of `x` to the range from `least` to `most`, element by element, with broadcasting; NaN if any of the three is NaN. A
 * bound of null sets no limit, nor does a whole number outside the range of an integer `x`. If `least` exceeds `most`, the result is
 * `most`.
 */
export const clip = ((x: unknown, least: unknown, most: unknown = null, options?: unknown) => {
  if (least !== null) return most === null ? raised(x, least, options) : between(x, least, most, options);
  return most === null ? copied(x, options) : lowered(x, most, options);
}) as Clip;
