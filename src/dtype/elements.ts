/** How elements of each dtype look on the host: typed array, JavaScript value, text. Pure. */

import { ValueError } from '../errors.ts';
import type { DType, DTypeName } from './dtype.ts';

/** A complex number as JavaScript sees it. */
export interface Complex {
  readonly re: number;
  readonly im: number;
}

/** Booleans for `bool`, bigint for the 64-bit integers, `Complex` for complex types, otherwise numbers. */
export type Scalar = boolean | number | bigint | Complex;

export type HostArray =
  | Int8Array<ArrayBuffer>
  | Int16Array<ArrayBuffer>
  | Int32Array<ArrayBuffer>
  | BigInt64Array<ArrayBuffer>
  | Uint8Array<ArrayBuffer>
  | Uint16Array<ArrayBuffer>
  | Uint32Array<ArrayBuffer>
  | BigUint64Array<ArrayBuffer>
  | Float16Array<ArrayBuffer>
  | Float32Array<ArrayBuffer>
  | Float64Array<ArrayBuffer>;

/** The typed array of a dtype by name; `toTypedArray` returns these. Complex types interleave real and imaginary parts. */
export interface HostArrayOf {
  bool: Uint8Array<ArrayBuffer>;
  int8: Int8Array<ArrayBuffer>;
  int16: Int16Array<ArrayBuffer>;
  int32: Int32Array<ArrayBuffer>;
  int64: BigInt64Array<ArrayBuffer>;
  uint8: Uint8Array<ArrayBuffer>;
  uint16: Uint16Array<ArrayBuffer>;
  uint32: Uint32Array<ArrayBuffer>;
  uint64: BigUint64Array<ArrayBuffer>;
  float16: Float16Array<ArrayBuffer>;
  float32: Float32Array<ArrayBuffer>;
  float64: Float64Array<ArrayBuffer>;
  complex64: Float32Array<ArrayBuffer>;
  complex128: Float64Array<ArrayBuffer>;
}

type HostArrayConstructor = new (buffer: ArrayBuffer) => HostArray;

const CONSTRUCTORS: Readonly<Record<DTypeName, HostArrayConstructor>> = {
  bool: Uint8Array,
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  int64: BigInt64Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  uint64: BigUint64Array,
  float16: Float16Array,
  float32: Float32Array,
  float64: Float64Array,
  complex64: Float32Array,
  complex128: Float64Array
};

const BY_TAG: Readonly<Record<string, DTypeName>> = {
  Int8Array: 'int8',
  Int16Array: 'int16',
  Int32Array: 'int32',
  BigInt64Array: 'int64',
  Uint8Array: 'uint8',
  Uint8ClampedArray: 'uint8',
  Uint16Array: 'uint16',
  Uint32Array: 'uint32',
  BigUint64Array: 'uint64',
  Float16Array: 'float16',
  Float32Array: 'float32',
  Float64Array: 'float64'
};

/** Name of the dtype whose elements a typed array holds; undefined for a DataView or anything else. */
export function dtypeNameOfView(view: ArrayBufferView): DTypeName | undefined {
  // The tag, not instanceof: views from another realm (a worker's, a test runner's) count too.
  return BY_TAG[(view as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? ''];
}

/** A typed array over the whole of `buffer`. */
export function hostArrayOver<D extends DTypeName>(dtype: DType<D>, buffer: ArrayBuffer): HostArrayOf[D] {
  return new CONSTRUCTORS[dtype.name](buffer) as HostArrayOf[D];
}

/** A zeroed typed array for `count` elements. */
export function hostArray(dtype: DType, count: number): HostArray {
  return hostArrayOver(dtype, new ArrayBuffer(count * dtype.itemsize));
}

function isComplex(value: unknown): value is Complex {
  return (
    typeof value === 'object' &&
    value !== null &&
    typeof (value as Complex).re === 'number' &&
    typeof (value as Complex).im === 'number'
  );
}

function refuse(value: unknown, dtype: DType): never {
  const shown =
    typeof value === 'bigint' ? `${value}n` : isComplex(value) ? formatScalar(value) : String(value);
  throw new ValueError(`${shown} is not a value of dtype ${dtype.name}`);
}

const INTEGER_LIMITS: Readonly<Record<'i' | 'u', (bits: number) => readonly [bigint, bigint]>> = {
  i: bits => [-(1n << BigInt(bits - 1)), (1n << BigInt(bits - 1)) - 1n],
  u: bits => [0n, (1n << BigInt(bits)) - 1n]
};

function toInteger(value: Scalar, dtype: DType): bigint {
  let integer: bigint;
  if (typeof value === 'bigint') integer = value;
  else if (typeof value === 'boolean') integer = value ? 1n : 0n;
  else if (typeof value === 'number' && Number.isInteger(value)) integer = BigInt(value);
  else return refuse(value, dtype);
  const [least, most] = INTEGER_LIMITS[dtype.kind as 'i' | 'u'](dtype.itemsize * 8);
  return integer < least || integer > most ? refuse(value, dtype) : integer;
}

/**
 * Stores `value` as element `index` of `host`.
 * @throws ValueError when the dtype cannot hold it: a fraction in an integer, an integer out of range, a complex in a real type.
 */
export function writeScalar(host: HostArray, dtype: DType, index: number, value: Scalar): void {
  switch (dtype.kind) {
    case 'b':
      if (typeof value !== 'boolean' && value !== 0 && value !== 1) refuse(value, dtype);
      host[index] = value ? 1 : 0;
      return;
    case 'i':
    case 'u': {
      const integer = toInteger(value, dtype);
      host[index] = dtype.itemsize === 8 ? integer : Number(integer);
      return;
    }
    case 'f':
      if (isComplex(value)) refuse(value, dtype);
      host[index] = Number(value);
      return;
    case 'c': {
      const complex = isComplex(value) ? value : { re: Number(value), im: 0 };
      host[2 * index] = complex.re;
      host[2 * index + 1] = complex.im;
    }
  }
}

/** Element `index` of `host` as a JavaScript value. */
export function readScalar(host: HostArray, dtype: DType, index: number): Scalar {
  if (dtype.kind === 'c') return { re: Number(host[2 * index]), im: Number(host[2 * index + 1]) };
  const value = host[index] as number | bigint;
  return dtype.kind === 'b' ? value !== 0 : value;
}

/** An element as people write it; floats keep at most six significant digits. */
export function formatScalar(value: Scalar): string {
  if (typeof value === 'object') {
    const sign = value.im < 0 || Object.is(value.im, -0) ? '-' : '+';
    return `${formatScalar(value.re)}${sign}${formatScalar(Math.abs(value.im))}j`;
  }
  if (typeof value !== 'number' || Number.isInteger(value) || !Number.isFinite(value)) return String(value);
  return String(Number(value.toPrecision(6)));
}
