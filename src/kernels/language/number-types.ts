/** The number types of kernels as names: types in annotations, casts in kernels, conversions outside them. Pure. */

import { ArgumentError } from '../../base/errors.ts';
import { roundToFloat16, roundToBfloat16 } from '../program/narrow.ts';
import type { ElementType } from '../program/types.ts';

declare const brand: unique symbol;

/** A 32-bit float. A plain number is one too: the name tells the compiler of kernels which. */
export type f32 = number & { readonly [brand]?: 'f32' };
/** A 64-bit float. */
export type f64 = number & { readonly [brand]?: 'f64' };
/** A 16-bit float (IEEE 754 binary16), in memory; arithmetic is that of f32. */
export type f16 = number & { readonly [brand]?: 'f16' };
/** A 16-bit float with the range of f32, in memory; arithmetic is that of f32. */
export type bf16 = number & { readonly [brand]?: 'bf16' };
/** A 32-bit integer. */
export type i32 = number & { readonly [brand]?: 'i32' };
/** A 32-bit integer from 0. */
export type u32 = number & { readonly [brand]?: 'u32' };
/** A 16-bit integer, in memory; arithmetic is that of i32. */
export type i16 = number & { readonly [brand]?: 'i16' };
/** A 16-bit integer from 0, in memory; arithmetic is that of u32. */
export type u16 = number & { readonly [brand]?: 'u16' };
/** An 8-bit integer, in memory; arithmetic is that of i32. */
export type i8 = number & { readonly [brand]?: 'i8' };
/** An 8-bit integer from 0, in memory; arithmetic is that of u32. */
export type u8 = number & { readonly [brand]?: 'u8' };
/** A 64-bit integer: a bigint, as in typed arrays. */
export type i64 = bigint & { readonly [brand]?: 'i64' };
/** A 64-bit integer from 0: a bigint, as in typed arrays. */
export type u64 = bigint & { readonly [brand]?: 'u64' };
/** A complex number of two 32-bit floats, in `cuda.map`. To TypeScript it is a number, so that operators work. */
export type c64 = number & { readonly [brand]?: 'c64' };
/** A complex number of two 64-bit floats, in `cuda.map`. To TypeScript it is a number, so that operators work. */
export type c128 = number & { readonly [brand]?: 'c128' };

/** A conversion to a number type; in a kernel it is a cast. */
export type Cast<T> = (value: number | bigint | boolean) => T;

/** Makes a complex number in a body of `cuda.map`: of its parts, or of a number. Throws elsewhere. */
export type ComplexCast<T> = (real: number, imaginary?: number) => T;

const casts = new Map<unknown, ElementType>();

function cast<T>(
  element: ElementType,
  convert: (value: number | bigint | boolean) => number | bigint
): Cast<T> {
  const made = { [element]: (value: number | bigint | boolean) => convert(value) as T }[element] as Cast<T>;
  casts.set(made, element);
  return made;
}

function complex<T>(element: ElementType): ComplexCast<T> {
  const made = (): never => {
    throw new ArgumentError(`${element} works only inside cuda.map: elsewhere write { re, im }`);
  };
  casts.set(made, element);
  return made;
}

/** Truncates to an integer of `bits`, saturating floats as a GPU does; NaN gives 0. */
function saturate(value: number | bigint | boolean, bits: number, signed: boolean): bigint {
  const wrap = (whole: bigint): bigint => (signed ? BigInt.asIntN(bits, whole) : BigInt.asUintN(bits, whole));
  if (typeof value !== 'number') return wrap(BigInt(value));
  if (Number.isNaN(value)) return 0n;
  if (Number.isSafeInteger(value)) return wrap(BigInt(value));
  const [least, most] = signed ? [-(2 ** (bits - 1)), 2 ** (bits - 1)] : [0, 2 ** bits];
  if (value >= most) return wrap(signed ? 2n ** BigInt(bits - 1) - 1n : -1n);
  return value <= least ? wrap(BigInt(least)) : wrap(BigInt(Math.trunc(value)));
}

const integer = (bits: number, signed: boolean) => (value: number | bigint | boolean) =>
  Number(saturate(value, bits, signed));
const wide = (signed: boolean) => (value: number | bigint | boolean) => saturate(value, 64, signed);

export const f32 = cast<f32>('f32', value => Math.fround(Number(value)));
export const f64 = cast<f64>('f64', Number);
export const f16 = cast<f16>('f16', value => roundToFloat16(Number(value)));
export const bf16 = cast<bf16>('bf16', value => roundToBfloat16(Number(value)));
export const i32 = cast<i32>('i32', integer(32, true));
export const u32 = cast<u32>('u32', integer(32, false));
export const i16 = cast<i16>('i16', integer(16, true));
export const u16 = cast<u16>('u16', integer(16, false));
export const i8 = cast<i8>('i8', integer(8, true));
export const u8 = cast<u8>('u8', integer(8, false));
export const i64 = cast<i64>('i64', wide(true));
export const u64 = cast<u64>('u64', wide(false));
export const c64 = complex<c64>('c64');
export const c128 = complex<c128>('c128');

/** Returns the element type that a function of this file stands for. */
export function elementOfCast(value: unknown): ElementType | undefined {
  return value === Boolean ? 'bool' : casts.get(value);
}
