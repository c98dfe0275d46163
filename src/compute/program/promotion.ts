/** Result types of operations, by the rules of NumPy 2, and of ml_dtypes for small floats. Pure. */

import { dtypes, integerRange, type DType, type DTypeName } from '../../dtype/dtype.ts';
import { isComplex as isComplexValue } from '../../dtype/elements.ts';
import type { Scalar } from '../../dtype/host-array.ts';
import { DTypeError, ValueError } from '../../base/errors.ts';
import { textOf } from '../../base/value-text.ts';
import { ELEMENT_TYPES, type ElementTypeName } from './element-types.ts';

type Floats = 'float16' | 'float32' | 'float64';
type Wider<A, B> = 'float64' extends A | B ? 'float64' : 'float32' extends A | B ? 'float32' : 'float16';

/** The result type as far as TypeScript infers it: equal types, bool with any type, and floats of the array API; otherwise any dtype. */
export type Promoted<A extends DTypeName, B extends DTypeName> = [A, B] extends [B, A]
  ? A
  : B extends 'bool'
    ? A
    : A extends 'bool'
      ? B
      : [A | B] extends [Floats]
        ? Wider<A, B>
        : DTypeName;

const KNOWN: ReadonlySet<string> = new Set(ELEMENT_TYPES);

/** Returns the element type of a dtype. @throws DTypeError for structured dtypes, text, dates and packed types */
export function elementTypeOf(dtype: DType): ElementTypeName {
  if (KNOWN.has(dtype.name)) return dtype.name as ElementTypeName;
  throw new DTypeError(`arithmetic does not support dtype ${dtype.name}${hintFor(dtype)}`);
}

function hintFor(dtype: DType): string {
  if (dtype.kind === 'm' || dtype.kind === 'M') return ': view it as int64';
  return dtype.fields === null ? '' : ': take one of its fields';
}

const kindOf = (name: ElementTypeName): 'b' | 'i' | 'u' | 'f' | 'c' =>
  dtypes[name].kind as 'b' | 'i' | 'u' | 'f' | 'c';
const bitsOf = (name: ElementTypeName): number => dtypes[name].bits;
const isFp8 = (name: ElementTypeName): boolean => name.startsWith('float8');

export const isInteger = (name: ElementTypeName): boolean => kindOf(name) === 'i' || kindOf(name) === 'u';
export const isFloat = (name: ElementTypeName): boolean => kindOf(name) === 'f';
export const isComplex = (name: ElementTypeName): boolean => kindOf(name) === 'c';

/** Returns the real type of a complex type's parts; any other type unchanged. */
export function partOf(name: ElementTypeName): ElementTypeName {
  return name === 'complex64' ? 'float32' : name === 'complex128' ? 'float64' : name;
}

const complexOver = (part: ElementTypeName): ElementTypeName =>
  part === 'float64' ? 'complex128' : 'complex64';

function promoteIntegers(a: ElementTypeName, b: ElementTypeName): ElementTypeName {
  if (kindOf(a) === kindOf(b)) return bitsOf(a) >= bitsOf(b) ? a : b;
  const [signed, unsigned] = kindOf(a) === 'i' ? [a, b] : [b, a];
  if (bitsOf(signed) > bitsOf(unsigned)) return signed;
  return bitsOf(unsigned) === 64 ? 'float64' : (`int${bitsOf(unsigned) * 2}` as ElementTypeName);
}

function promoteFloats(a: ElementTypeName, b: ElementTypeName): ElementTypeName {
  if (a === 'float64' || b === 'float64') return 'float64';
  if (a === 'float32' || b === 'float32') return 'float32';
  const [narrow, wide] = isFp8(a) ? [a, b] : [b, a];
  // Both types have at most 16 bits here; only float32 holds the values of two formats of equal size.
  if (!isFp8(narrow) || isFp8(wide) || narrow === 'float8_e8m0fnu') return 'float32';
  return wide;
}

/** Returns the float that an integer and a float promote to. */
function floatForInteger(integer: ElementTypeName, float: ElementTypeName): ElementTypeName {
  if (bitsOf(float) >= 64 || bitsOf(integer) >= 32) return 'float64';
  if (bitsOf(float) === 32 || bitsOf(integer) === 16) return 'float32';
  return float;
}

/** Returns the smallest type that both convert to, by kind and size. */
export function promote(a: ElementTypeName, b: ElementTypeName): ElementTypeName {
  if (a === b || b === 'bool') return a;
  if (a === 'bool') return b;
  if (isComplex(a) || isComplex(b)) return complexOver(promote(partOf(a), partOf(b)));
  if (isInteger(a)) return isInteger(b) ? promoteIntegers(a, b) : floatForInteger(a, b);
  return isInteger(b) ? floatForInteger(b, a) : promoteFloats(a, b);
}

/** Returns the float type in which functions of an integer are computed. */
export function floatFor(name: ElementTypeName): ElementTypeName {
  if (isFloat(name) || isComplex(name)) return name;
  if (bitsOf(name) <= 8) return 'float16';
  return bitsOf(name) === 16 ? 'float32' : 'float64';
}

/** Returns the type of a constant beside an operand of type `other`: its kind counts, not its size. @throws ValueError */
export function promoteValue(value: Scalar, other: ElementTypeName): ElementTypeName {
  if (typeof value === 'boolean') return other;
  // Integers above 2^53 may have lost precision, so they are treated as floats, as is -0.
  if (typeof value === 'bigint' || (Number.isSafeInteger(value) && !Object.is(value, -0))) {
    if (other === 'bool') return 'int64';
    if (isInteger(other)) requireInRange(BigInt(value as number | bigint), other);
    return other;
  }
  if (typeof value === 'number') return isFloat(other) || isComplex(other) ? other : 'float64';
  if (isComplexValue(value)) {
    if (isComplex(other)) return other;
    return isFloat(other) && bitsOf(other) <= 32 ? 'complex64' : 'complex128';
  }
  throw new ValueError(
    `${textOf(value)} is not a value for arithmetic: expected a number, bigint, boolean or {re, im}`
  );
}

export function isOperand(value: unknown): value is Scalar {
  return ['number', 'bigint', 'boolean'].includes(typeof value) || isComplexValue(value);
}

function requireInRange(value: bigint, name: ElementTypeName): void {
  const [least, most] = integerRange(dtypes[name]);
  if (value < least || value > most)
    throw new ValueError(`${value} is outside ${name}, which holds ${least} to ${most}`);
}

/** Returns the type of a constant without an array beside it. */
export function typeOfValue(value: Scalar): ElementTypeName {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int64';
  return isComplexValue(value) ? 'complex128' : 'float64';
}
