/** Operations on values as JavaScript holds them, beyond its operators. */

import { roundToBfloat16, roundToFloat16 } from '../program/narrow.ts';
import type { BinaryOperation, UnaryOperation } from '../program/program.ts';
import { isFloat, isSigned, isWide, type ValueType } from '../program/types.ts';
import { ofMachine } from './machine-functions.ts';

/** A value of a variable. */
export type Held = number | bigint | boolean;

function wrapped(type: ValueType, value: bigint): Held {
  const bits = isWide(type) ? 64 : 32;
  const held = isSigned(type) ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value);
  return isWide(type) ? held : Number(held);
}

/** Converts a value; conversions that round or saturate are the machine's. */
function convert(from: ValueType, to: ValueType, value: Held): Held {
  if (to === 'bool') return Number(value) !== 0;
  if (to === 'f64') return Number(value);
  if (to === 'f32' && typeof value !== 'bigint') return Math.fround(Number(value));
  if (!isFloat(from) && to !== 'f32') return wrapped(to, BigInt(value));
  if (to === 'i32' && Math.abs(Number(value)) < 2 ** 31) return Math.trunc(Number(value)) | 0;
  return ofMachine({ kind: 'convert', operation: 'convert', type: from, result: to }, [value]);
}

const unary = (operation: UnaryOperation, type: ValueType, result: ValueType, value: Held): Held =>
  ofMachine({ kind: 'unary', operation, type, result }, [value]);

/** Frequent operations on integers, before their results wrap. By zero they are the machine's. */
const WHOLE: Partial<Readonly<Record<BinaryOperation, (a: bigint, b: bigint, bits: bigint) => bigint>>> = {
  divide: (a, b) => a / b,
  remainder: (a, b) => a % b,
  shiftLeft: (a, b, bits) => a << (b & (bits - 1n)),
  shiftRight: (a, b, bits) => a >> (b & (bits - 1n))
};

function binary(operation: BinaryOperation, type: ValueType, a: Held, b: Held): Held {
  const whole =
    isFloat(type) || (Number(b) === 0 && !operation.startsWith('shift')) ? undefined : WHOLE[operation];
  if (whole !== undefined) return wrapped(type, whole(BigInt(a), BigInt(b), isWide(type) ? 64n : 32n));
  return ofMachine({ kind: 'binary', operation, type, result: type }, [a, b]);
}

const fma = (type: ValueType, a: Held, b: Held, c: Held): Held =>
  ofMachine({ kind: 'fma', operation: 'fma', type, result: type }, [a, b, c]);

/** Returns a number as the shortest text that gives it back. */
function shown(type: ValueType, value: Held): string {
  let short = value;
  for (let digits = 1; type === 'f32' && digits < 9; digits++) {
    short = Number((value as number).toPrecision(digits));
    if (Object.is(Math.fround(short), value)) break;
    short = value;
  }
  return Object.is(short, -0) ? '-0' : String(short);
}

/** What the code of threads calls. */
export const operations = {
  unary,
  binary,
  fma,
  convert,
  shown,
  float16: roundToFloat16,
  bfloat16: roundToBfloat16
};
