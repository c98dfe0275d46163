/** Typed arrays and values on the host for each dtype. Pure. */

import type { CoreDTypeName, DType, DTypeName } from './dtype.ts';

/** A complex number in JavaScript. */
export interface Complex {
  /** The real part. */
  readonly re: number;
  /** The imaginary part. */
  readonly im: number;
}

/** A value of a structured dtype: an object by field names, with sub-arrays as nested arrays. */
export interface RecordValue {
  readonly [field: string]: FieldValue;
}
export type FieldValue = Scalar | readonly FieldValue[];

/**
 * One element as a JavaScript value: boolean for `bool`; bigint for 64-bit integers, dates and time differences; `Complex` for complex
 * types; text for S and U; bytes for opaque types and vectors; an object for structured dtypes; otherwise a number.
 */
export type Scalar = boolean | number | bigint | Complex | string | Uint8Array | RecordValue;

/** Typed arrays by dtype. Complex types interleave their parts; small floats are codes, dates counts of their unit, others bytes. */
const CONSTRUCTORS = {
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
  complex128: Float64Array,
  bfloat16: Uint16Array
} as const;

type HostArrays = {
  [Name in keyof typeof CONSTRUCTORS]: ReturnType<InstanceType<(typeof CONSTRUCTORS)[Name]>['slice']>;
};

/** The typed arrays that hold elements on the host. */
export type HostArray = HostArrays[keyof HostArrays];

/** The type of host array that holds elements of dtype `D`. */
export type HostArrayOf<D extends DTypeName> = D extends keyof HostArrays
  ? HostArrays[D]
  : D extends `datetime64${string}` | `timedelta64${string}`
    ? BigInt64Array<ArrayBuffer>
    : D extends CoreDTypeName
      ? HostArray
      : Uint8Array<ArrayBuffer>;

type HostArrayConstructor = new (buffer: ArrayBuffer) => HostArray;

/** Returns the name of the dtype whose elements a typed array holds; undefined for a DataView or anything else. */
export function dtypeNameOfView(view: ArrayBufferView): CoreDTypeName | undefined {
  // Checks the tag instead of instanceof, so that views from another realm (a worker, a test runner) are accepted.
  const tag = (view as { [Symbol.toStringTag]?: string })[Symbol.toStringTag] ?? '';
  const name = tag.replace(/^Big|(?:Clamped)?Array$/g, '').toLowerCase();
  return Object.hasOwn(CONSTRUCTORS, name) ? (name as CoreDTypeName) : undefined;
}

function constructorOf(dtype: DType): HostArrayConstructor {
  if (dtype.kind === 'm' || dtype.kind === 'M') return BigInt64Array;
  return CONSTRUCTORS[dtype.name as keyof HostArrays] ?? Uint8Array;
}

export function hostArrayOver<D extends DTypeName>(dtype: DType<D>, buffer: ArrayBuffer): HostArrayOf<D> {
  return new (constructorOf(dtype))(buffer) as HostArrayOf<D>;
}

/** Makes a zeroed typed array for `count` elements. */
export function hostArray(dtype: DType, count: number): HostArray {
  return hostArrayOver(dtype, new ArrayBuffer(count * dtype.itemsize));
}
