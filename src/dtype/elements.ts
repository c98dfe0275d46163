/** Converts elements of each dtype to and from JavaScript values, and formats them. Pure. */

import { ValueError } from '../base/errors.ts';
import { textOf } from '../base/value-text.ts';
import { integerRange, isSubByte, type DType, type Field } from './dtype.ts';
import {
  hostArrayOver,
  type Complex,
  type FieldValue,
  type HostArray,
  type RecordValue,
  type Scalar
} from './host-array.ts';
import { decodeSmallFloat, encodeSmallFloat } from './small-floats.ts';

/** Returns true for a complex number, `{ re, im }`. */
export function isComplex(value: unknown): value is Complex {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.keys(value).length === 2 &&
    typeof (value as Complex).re === 'number' &&
    typeof (value as Complex).im === 'number'
  );
}

function refuse(value: unknown, dtype: DType, expected?: string): never {
  const shown = isComplex(value) ? formatScalar(value) : textOf(value);
  const rest = expected === undefined ? '' : `, expected ${expected}`;
  throw new ValueError(`${shown} is not a value of dtype ${dtype.name}${rest}`);
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

/** Stores element `index` of `host`. @throws ValueError for a fraction in an integer, a value out of range, or complex in a real dtype */
export function writeScalar(host: HostArray, dtype: DType, index: number, value: Scalar): void {
  if (dtype.lanes > 1) return writeStructured(host, dtype, index, value);
  switch (dtype.kind) {
    case 'S':
    case 'U':
    case 'V':
      return writeStructured(host, dtype, index, value);
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
      // A 4-bit integer in a byte has its upper bits clear.
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

export function readScalar(host: HostArray, dtype: DType, index: number): Scalar {
  if (dtype.lanes > 1) return readStructured(host, dtype, index);
  const value = host[index]!;
  switch (dtype.kind) {
    case 'S':
    case 'U':
    case 'V':
      return readStructured(host, dtype, index);
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

const bytesOf = (host: HostArray, dtype: DType, index: number): Uint8Array =>
  (host as Uint8Array).subarray(index * dtype.itemsize, (index + 1) * dtype.itemsize);

/** Reads an element of an array of S, U or V; trailing NULs of text are dropped, as in NumPy. */
function readStructured(host: HostArray, dtype: DType, index: number): Scalar {
  const bytes = bytesOf(host, dtype, index);
  if (dtype.kind === 'S') return String.fromCharCode(...bytes).replace(/\0+$/, '');
  if (dtype.kind === 'U') return readCharacters(bytes).replace(/\0+$/, '');
  if (dtype.fields === null) return bytes.slice();
  return Object.fromEntries(
    dtype.fields.map(field => [field.name, readField(bytes, field, 0, field.offset)])
  );
}

function readCharacters(bytes: Uint8Array): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let text = '';
  for (let at = 0; at < bytes.byteLength; at += 4) {
    const point = view.getUint32(at, true);
    text += point > 0x10ffff ? '\ufffd' : String.fromCodePoint(point);
  }
  return text;
}

const strideOf = ({ shape, dtype }: Field, axis: number): number =>
  shape.slice(axis + 1).reduce((bytes, dimension) => bytes * dimension, dtype.itemsize);

function readField(bytes: Uint8Array, field: Field, axis: number, offset: number): FieldValue {
  if (axis === field.shape.length) {
    const { dtype } = field;
    return readScalar(hostArrayOver(dtype, bytes.slice(offset, offset + dtype.itemsize).buffer), dtype, 0);
  }
  const step = strideOf(field, axis);
  return Array.from({ length: field.shape[axis]! }, (_, i) =>
    readField(bytes, field, axis + 1, offset + i * step)
  );
}

/** Stores an element of S, U or V. @throws ValueError for a value of the wrong kind or too long */
function writeStructured(host: HostArray, dtype: DType, index: number, value: Scalar): void {
  const bytes = bytesOf(host, dtype, index);
  if (dtype.kind === 'S' || dtype.kind === 'U') writeText(bytes, dtype, value);
  else if (dtype.fields !== null) writeRecord(bytes, dtype, value);
  else if (value instanceof Uint8Array && value.length === dtype.itemsize) bytes.set(value);
  else refuse(value, dtype, `a Uint8Array of ${dtype.itemsize} bytes`);
}

function writeText(bytes: Uint8Array, dtype: DType, value: Scalar): void {
  if (typeof value !== 'string') return refuse(value, dtype, 'a string');
  const points = [...value].map(character => character.codePointAt(0)!);
  const width = dtype.kind === 'S' ? 1 : 4;
  if (points.length * width > bytes.length)
    throw new ValueError(`${JSON.stringify(value)} is too long for dtype ${dtype.name}`);
  if (width === 1 && points.some(point => point > 0xff))
    throw new ValueError(
      `${JSON.stringify(value)} has characters above U+00FF, which dtype ${dtype.name} cannot hold`
    );
  bytes.fill(0);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  points.forEach((point, i) => (width === 1 ? view.setUint8(i, point) : view.setUint32(i * 4, point, true)));
}

function writeRecord(bytes: Uint8Array, dtype: DType, value: Scalar): void {
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array)
    refuse(value, dtype, 'an object with its fields');
  const record = value as RecordValue;
  for (const field of dtype.fields ?? []) {
    const part = record[field.name];
    if (part === undefined) throw new ValueError(`field '${field.name}' of dtype ${dtype.name} is missing`);
    writeField(bytes, field, 0, field.offset, part);
  }
}

function writeField(bytes: Uint8Array, field: Field, axis: number, offset: number, value: FieldValue): void {
  const { dtype, shape } = field;
  if (axis === shape.length) {
    const one = hostArrayOver(dtype, new ArrayBuffer(dtype.itemsize));
    writeScalar(one, dtype, 0, value as Scalar);
    bytes.set(new Uint8Array(one.buffer), offset);
    return;
  }
  if (!Array.isArray(value) || value.length !== shape[axis])
    throw new ValueError(`field '${field.name}': expected nested arrays of shape (${shape.join(', ')})`);
  const step = strideOf(field, axis);
  value.forEach((part: FieldValue, i) => writeField(bytes, field, axis + 1, offset + i * step, part));
}

/** Formats an element: floats with at most six significant digits, text in quotes, bytes in hexadecimal. */
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
