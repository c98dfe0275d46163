/** Elements of each dtype as JavaScript values and as text. Pure. */

import { ValueError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import { integerRange, isSubByte, type DType } from './dtype.ts';
import type { Complex, FieldValue, HostArray, RecordValue, Scalar } from './host-array.ts';
import { decodeSmallFloat, encodeSmallFloat } from './small-floats.ts';
import { readStructured, writeStructured } from './structured.ts';

/** Whether a value is a complex number, `{ re, im }`. */
export function isComplex(value: unknown): value is Complex {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 2 &&
    typeof (value as Complex).re === 'number' &&
    typeof (value as Complex).im === 'number'
  );
}

function refuse(value: unknown, dtype: DType): never {
  const shown = isComplex(value) ? formatScalar(value) : textOf(value);
  throw new ValueError(`${shown} is not a value of dtype ${dtype.name}`);
}

function toInteger(value: Scalar, dtype: DType): bigint {
  let integer: bigint;
  if (typeof value === 'bigint') integer = value;
  else if (typeof value === 'boolean') integer = value ? 1n : 0n;
  else if (typeof value === 'number' && Number.isInteger(value)) integer = BigInt(value);
  else return refuse(value, dtype);
  const [least, most] = integerRange(dtype);
  return integer < least || integer > most ? refuse(value, dtype) : integer;
}

/**
 * Stores `value` as element `index` of `host`.
 * @throws ValueError when the dtype cannot hold it: a fraction in an integer, an integer out of range, a complex in a real type.
 */
export function writeScalar(host: HostArray, dtype: DType, index: number, value: Scalar): void {
  if (dtype.lanes > 1) return writeStructured(host, dtype, index, value, writeScalar);
  switch (dtype.kind) {
    case 'S':
    case 'U':
    case 'V':
      return writeStructured(host, dtype, index, value, writeScalar);
    case 'm':
    case 'M':
      if (typeof value !== 'bigint' && !Number.isInteger(value)) refuse(value, dtype);
      host[index] = BigInt.asIntN(64, BigInt(value as number | bigint));
      return;
    case 'b':
      if (typeof value !== 'boolean' && value !== 0 && value !== 1) refuse(value, dtype);
      host[index] = value ? 1 : 0;
      return;
    case 'i':
    case 'u': {
      const integer = toInteger(value, dtype);
      // An integer of 4 bits in a byte of its own keeps its upper bits clear, as packed ones have no upper bits.
      host[index] = dtype.itemsize === 8 ? integer : Number(isSubByte(dtype) ? integer & 0xfn : integer);
      return;
    }
    case 'f':
      host[index] = toCode(dtype, toNumber(value, dtype));
      return;
    case 'c': {
      const complex = isComplex(value) ? value : { re: toNumber(value, dtype), im: 0 };
      host[2 * index] = complex.re;
      host[2 * index + 1] = complex.im;
    }
  }
}

function toNumber(value: Scalar, dtype: DType): number {
  if (typeof value !== 'number' && typeof value !== 'bigint' && typeof value !== 'boolean')
    return refuse(value, dtype);
  return Number(value);
}

function toCode(dtype: DType, value: number): number {
  return dtype.typestr === null ? (encodeSmallFloat(dtype.name, value) ?? value) : value;
}

/** Element `index` of `host` as a JavaScript value. */
export function readScalar(host: HostArray, dtype: DType, index: number): Scalar {
  if (dtype.lanes > 1) return readStructured(host, dtype, index, readScalar);
  const value = host[index] as number | bigint;
  switch (dtype.kind) {
    case 'S':
    case 'U':
    case 'V':
      return readStructured(host, dtype, index, readScalar);
    case 'c':
      return { re: Number(host[2 * index]), im: Number(host[2 * index + 1]) };
    case 'b':
      return value !== 0;
    case 'f':
      return dtype.typestr === null ? (decodeSmallFloat(dtype.name, Number(value)) ?? value) : value;
    case 'i':
      return isSubByte(dtype) ? (Number(value) << 28) >> 28 : value;
    case 'u':
      return isSubByte(dtype) ? Number(value) & 0xf : value;
    default:
      return value;
  }
}

/** An element as people write it; floats keep at most six significant digits, text is quoted, bytes are hexadecimal. */
export function formatScalar(value: FieldValue): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (value instanceof Uint8Array)
    return `0x${Array.from(value, byte => byte.toString(16).padStart(2, '0')).join('')}`;
  if (Array.isArray(value)) return `[${value.map(formatScalar).join(', ')}]`;
  if (isComplex(value)) {
    const sign = value.im < 0 || Object.is(value.im, -0) ? '-' : '+';
    return `${formatScalar(value.re)}${sign}${formatScalar(Math.abs(value.im))}j`;
  }
  if (typeof value === 'object') {
    const fields = Object.entries(value as RecordValue).map(
      ([name, part]) => `${name}: ${formatScalar(part)}`
    );
    return `{${fields.join(', ')}}`;
  }
  if (typeof value !== 'number' || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(6)));
}
