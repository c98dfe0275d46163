/** Types of elementwise functions, which infer the dtype of a result from those of its operands. */

import type { NDArray } from '../array/array.ts';
import type { DTypeName } from '../dtype/dtype.ts';
import type { Scalar } from '../dtype/host-array.ts';
import type { OutOption } from './evaluate.ts';
import type { Promoted } from '../compute/program/promotion.ts';

/** An operand of an elementwise function: an array or a value. */
export type Operand = NDArray | Scalar;

export type Floating<D extends DTypeName> = D extends `float${string}` | 'bfloat16' | `complex${string}`
  ? D
  : DTypeName;
export type Part<D extends DTypeName> = D extends 'complex64'
  ? 'float32'
  : D extends 'complex128'
    ? 'float64'
    : D;
/** The float that two types promote to, as far as TypeScript infers it. */
export type FloatOf<A extends DTypeName, B extends DTypeName> = [A, B] extends [B, A]
  ? Floating<A>
  : [A | B] extends ['float16' | 'float32' | 'float64']
    ? Promoted<A, B>
    : DTypeName;
/** Bool becomes int8; other types stay. */
export type Counted<D extends DTypeName> = D extends 'bool' ? 'int8' : D;
/** Real values. Floats beside them keep their dtype; integers may become floats. */
export type RealValue = number | bigint | boolean;
export type BesideValue<D extends DTypeName> = Floating<D>;

/** Result dtypes of functions of one operand, by the kind of function. */
interface UnaryResults<D extends DTypeName> {
  readonly same: D;
  /** Integers become floats. */
  readonly float: Floating<D>;
  /** Bool counts as int8. */
  readonly counted: Counted<D>;
  /** Complex numbers become their parts. */
  readonly part: Part<D>;
  readonly bool: 'bool';
}

/** A function of one operand. */
export interface Unary<R extends keyof UnaryResults<DTypeName> = 'same'> {
  <D extends DTypeName>(x: NDArray<D>, options?: OutOption): NDArray<UnaryResults<D>[R]>;
}

/** Result dtypes of functions of two operands, by the kind of function. */
interface BinaryResults<A extends DTypeName, B extends DTypeName> {
  readonly same: Promoted<A, B>;
  /** Integers become floats. */
  readonly float: FloatOf<A, B>;
  /** Bool counts as int8. */
  readonly counted: Counted<Promoted<A, B>>;
}

/** A function of two operands, at least one of them an array. */
export interface Binary<R extends keyof BinaryResults<DTypeName, DTypeName> = 'same'> {
  <A extends DTypeName, B extends DTypeName>(
    a: NDArray<A>,
    b: NDArray<B>,
    options?: OutOption
  ): NDArray<BinaryResults<A, B>[R]>;
  <A extends DTypeName>(a: NDArray<A>, b: RealValue, options?: OutOption): NDArray<BesideValue<A>>;
  <B extends DTypeName>(a: RealValue, b: NDArray<B>, options?: OutOption): NDArray<BesideValue<B>>;
  (a: NDArray, b: Scalar, options?: OutOption): NDArray;
  (a: Scalar, b: NDArray, options?: OutOption): NDArray;
}

/** A function of two operands as a method of the first. */
export interface BinaryMethod<
  A extends DTypeName,
  R extends keyof BinaryResults<DTypeName, DTypeName> = 'same'
> {
  <B extends DTypeName>(other: NDArray<B>, options?: OutOption): NDArray<BinaryResults<A, B>[R]>;
  (other: RealValue, options?: OutOption): NDArray<BesideValue<A>>;
  (other: Scalar, options?: OutOption): NDArray;
}

/** A test of two operands, at least one of them an array. */
export interface BinaryTest {
  (a: NDArray, b: NDArray | Scalar, options?: OutOption): NDArray<'bool'>;
  (a: Scalar, b: NDArray, options?: OutOption): NDArray<'bool'>;
}
export interface Choice {
  <A extends DTypeName, B extends DTypeName>(
    condition: NDArray,
    a: NDArray<A>,
    b: NDArray<B>,
    options?: OutOption
  ): NDArray<Promoted<A, B>>;
  (condition: NDArray, a: NDArray | Scalar, b: NDArray | Scalar, options?: OutOption): NDArray;
}

type Bound<D extends DTypeName> = NDArray<D> | RealValue | null;

/** Bounds are arrays, values, or null for none; `most` may be left out. */
export interface Clip {
  <D extends DTypeName>(
    x: NDArray<D>,
    least: Bound<D>,
    most?: Bound<D>,
    options?: OutOption
  ): NDArray<BesideValue<D>>;
  (x: NDArray, least: NDArray | Scalar | null, most?: NDArray | Scalar | null, options?: OutOption): NDArray;
}
