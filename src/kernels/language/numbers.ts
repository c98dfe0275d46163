/** Typing rules of numbers: how two values meet, and what converts without being asked. Pure. */

import type { Expression, Place } from '../program/program.ts';
import { isComplex, isFloat, isWide, partOf, type ComplexType, type ValueType } from '../program/types.ts';
import type { Scalar, Weak } from './values.ts';

const RANGES: Partial<Readonly<Record<ValueType, readonly [bigint, bigint]>>> = {
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  u64: [0n, 2n ** 64n - 1n]
};

export function scalar(expression: Expression, weak: Weak = null): Scalar {
  return { kind: 'scalar', expression, weak };
}

export function constant(type: ValueType, value: number | bigint | boolean, place: Place): Expression {
  return { kind: 'constant', type, value: type === 'f32' ? Math.fround(value as number) : value, place };
}

/** Makes the value of a number of JavaScript: a literal or a captured one. */
export function weakNumber(value: number | bigint | boolean, place: Place, float = false): Scalar {
  if (typeof value === 'boolean') return scalar(constant('bool', value, place));
  if (typeof value === 'bigint') return scalar(constant('i64', value, place), 'int');
  const whole = Number.isInteger(value) && !Object.is(value, -0) && !float;
  return whole && Math.abs(value) <= 2 ** 53
    ? scalar({ kind: 'constant', type: 'i32', value, place }, 'int')
    : scalar({ kind: 'constant', type: 'f32', value, place }, 'float');
}

/** Returns the number of a constant, with all the digits of a weak one. */
export function constantOf({ expression }: Scalar): number | bigint | boolean | undefined {
  return expression.kind === 'constant' ? expression.value : undefined;
}

/** What two operands become; a string says why they cannot meet. */
type Meeting = { readonly type: ValueType; readonly weak: Weak } | string;

const CAST = (type: ValueType): string => `cast one side, such as ${type}(x)`;

/**
 * Returns true for a length, and for sums and products of lengths and constants. They meet numbers of 32 and of 64 bits, so that one source
 * serves arrays of all sizes: the length of a wide array is an i64.
 */
export function isLength(expression: Expression): boolean {
  if (expression.kind === 'extent') return true;
  if (expression.kind !== 'binary' || !/^(?:add|subtract|multiply)$/.test(expression.operation)) return false;
  const parts = [expression.left, expression.right];
  return parts.some(isLength) && parts.every(each => each.kind === 'constant' || isLength(each));
}

/** Returns the type in which two numbers meet. */
export function meet(left: Scalar, right: Scalar): Meeting {
  const a = left.expression.type;
  const b = right.expression.type;
  const [first, second] = [isLength(left.expression), isLength(right.expression)];
  if (first !== second && isWide(a) !== isWide(b) && a !== 'bool' && b !== 'bool') {
    const other = first ? b : a;
    return { type: isFloat(other) ? other : 'i64', weak: null };
  }
  if (a === 'bool' || b === 'bool')
    return a === b ? { type: 'bool', weak: null } : 'a boolean and a number: write (condition ? 1 : 0)';
  if (left.weak !== null && right.weak !== null) {
    if (isWide(a) !== isWide(b)) return 'a bigint and a number: write both with n, or neither';
    const weak = left.weak === 'float' || right.weak === 'float' ? 'float' : 'int';
    return { type: a === b ? a : weak === 'float' ? 'f32' : a, weak };
  }
  if (left.weak !== null) return meetWeak(a, left.weak, b);
  if (right.weak !== null) return meetWeak(b, right.weak, a);
  return meetSettled(a, b);
}

function meetWeak(own: ValueType, weak: 'int' | 'float', other: ValueType): Meeting {
  if (isWide(own) !== isWide(other))
    return isWide(other)
      ? `a number and ${other}, which is a bigint: write 1n for 1, or ${other}(x)`
      : `a bigint and ${other}: ${CAST(other)}`;
  if (weak === 'float' && !isFloat(other) && !isComplex(other)) return { type: 'f32', weak: null };
  return { type: other, weak: null };
}

function meetSettled(a: ValueType, b: ValueType): Meeting {
  if (a === b) return { type: a, weak: null };
  if (isWide(a) || isWide(b)) return `${a} and ${b}: ${CAST(isWide(a) ? a : b)}`;
  if (isComplex(a) || isComplex(b)) return { type: complexOf(a, b), weak: null };
  if (isFloat(a) || isFloat(b)) return { type: a === 'f64' || b === 'f64' ? 'f64' : 'f32', weak: null };
  return `${a} and ${b} have different signs: ${CAST(a)}`;
}

/** Returns the complex type that holds both numbers. */
export function complexOf(a: ValueType, b: ValueType): ComplexType {
  return [a, b].some(each => (isComplex(each) ? partOf(each) : each) === 'f64') ? 'c128' : 'c64';
}

/** Converts to a type; constants at once. */
export function convert(value: Scalar, type: ValueType): Expression {
  const { expression, weak } = value;
  if (expression.type === type && (weak === null || expression.kind !== 'constant')) return expression;
  if (expression.kind === 'constant') {
    const known = convertConstant(expression.value, type);
    if (known !== undefined) return constant(type, known, expression.place);
  }
  if (expression.type === type) return expression;
  return { kind: 'convert', type, operand: expression, place: expression.place };
}

/** Returns a constant as a value of the type; undefined if the type cannot hold it. */
function convertConstant(
  value: number | bigint | boolean,
  type: ValueType
): number | bigint | boolean | undefined {
  if (type === 'bool') return typeof value === 'boolean' ? value : Number(value) !== 0;
  if (isFloat(type) || isComplex(type)) return Number(value);
  const number = Number(value);
  if (typeof value === 'number' && !Number.isInteger(value)) return undefined;
  const whole = typeof value === 'bigint' ? value : BigInt(number);
  const [least, most] = RANGES[type]!;
  if (whole < least || whole > most) return undefined;
  return isWide(type) ? whole : Number(whole);
}

/** Returns why a constant is no value of the type; undefined if it is one, or no constant. */
export function outOfRange(value: Scalar, type: ValueType): string | undefined {
  const known = constantOf(value);
  if (known === undefined || value.weak !== 'int' || convertConstant(known, type) !== undefined)
    return undefined;
  return `${String(known)} does not fit ${type}`;
}

/** Returns a whole number outside the range of a 32-bit type with the bits that it has there, as JavaScript's operators on bits do. */
export function wrapped(value: Scalar, type: ValueType): Scalar {
  const known = constantOf(value);
  if (typeof known !== 'number' || outOfRange(value, type) === undefined) return value;
  return scalar(constant(type, type === 'u32' ? known >>> 0 : known | 0, value.expression.place), value.weak);
}

/** Returns a fraction or a great number as the nearest whole number of an integer type, towards zero; NaN as 0. */
export function saturated(number: number, type: ValueType): number | bigint {
  const range = RANGES[type]!;
  if (Number.isNaN(number)) return isWide(type) ? 0n : 0;
  const [least, most] = range;
  const whole = number <= Number(least) ? least : number >= Number(most) ? most : BigInt(Math.trunc(number));
  return isWide(type) ? whole : Number(whole);
}

const ROUNDINGS: ReadonlySet<string> = new Set(['floor', 'ceil', 'trunc', 'rint']);

/** Returns true for the result of Math.floor and its like, which may become an integer without a cast. */
export function isWhole(expression: Expression): boolean {
  return expression.kind === 'unary' && ROUNDINGS.has(expression.operation);
}

/** Why a value does not convert to a type by itself; undefined if it does. `storing` allows what typed arrays do: integers wrap. */
export function refusal(value: Scalar, type: ValueType, storing: boolean): string | undefined {
  const own = value.expression.type;
  if (own === type) return outOfRange(value, type);
  if (own === 'bool' || type === 'bool')
    return own === 'bool'
      ? 'a boolean is no number: write (condition ? 1 : 0)'
      : 'a number is no boolean: write x !== 0';
  if (isWide(own) !== isWide(type))
    return `${own} and ${type}: JavaScript does not mix bigints with numbers: write ${type}(x)`;
  if (isComplex(own) && !isComplex(type))
    return `a complex number (${own}) in ${type}: write cuda.real(x) or Math.abs(x)`;
  if (value.weak === 'int') return outOfRange(value, type);
  if (isFloat(type) || isComplex(type)) return undefined;
  if (isWhole(value.expression)) return undefined;
  if (isFloat(own)) return `a fraction (${own}) in ${type}: write ${type}(x), Math.floor(x) or Math.round(x)`;
  return storing ? undefined : `${own} in ${type}: write ${type}(x)`;
}
