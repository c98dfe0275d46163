/** Reductions over one axis, several or all, with the names of the array API standard. */

import type { NDArray } from '../array/array.ts';
import { dtypes, type DTypeLike, type DTypeName, type NameOf } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { DTypeError, ValueError } from '../base/errors.ts';
import { formatShape } from '../layout/shape.ts';
import { astype } from './convert.ts';
import { reducedShape, splitAxes, toAxes, toAxis, without, type AxisLike } from '../compute/program/axes.ts';
import { resultOf, streamFor, type OutOption } from './evaluate.ts';
import { divide } from './functions.ts';
import type { Floating } from './signatures.ts';
import type { ElementTypeName } from '../compute/program/element-types.ts';
import { elementTypeOf, isComplex, isFloat, isInteger } from '../compute/program/promotion.ts';
import type { ReductionName } from '../compute/program/runs.ts';
import { backendOf } from '../compute/run.ts';

/** Options of reductions. */
export interface ReductionOptions extends OutOption {
  /** The axis or axes to reduce, negative ones counted from the last; all if left out. */
  readonly axis?: AxisLike;
  /** Whether the reduced axes stay, with length 1. Default false. */
  readonly keepDims?: boolean | undefined;
}

/** Options of `sum` and `prod`. */
export interface SumOptions extends ReductionOptions {
  /** The dtype of the result. By default int64 or uint64 for bool and narrower integers, otherwise the array's dtype. */
  readonly dtype?: DTypeLike | undefined;
}

/** The dtype of a sum, as far as TypeScript infers it: integers are summed in 64 bits. */
export type Summed<D extends DTypeName> = Floating<D>;
/** The dtype of a sum: that of the options, if given. */
export type SummedAs<D extends DTypeName, O> = O extends { readonly dtype: infer L extends DTypeLike }
  ? NameOf<L>
  : Summed<D>;

function sumType(type: ElementTypeName, dtype: DTypeLike | undefined): ElementTypeName {
  if (dtype !== undefined) return elementTypeOf(toDType(dtype));
  if (isFloat(type) || isComplex(type)) return type;
  return dtypes[type].kind === 'u' ? 'uint64' : 'int64';
}

function reduce(
  name: ReductionName,
  array: NDArray,
  options: ReductionOptions,
  result: ElementTypeName
): NDArray {
  const axes = toAxes(options.axis, array.ndim);
  const keepDims = options.keepDims ?? false;
  const shape = reducedShape(array.shape, axes, keepDims);
  const stream = streamFor([array], options);
  const split = splitAxes(array.shape, array.strides, axes);
  const { out } = options;
  return resultOf({ shape, dtype: dtypes[result], stream, inputs: [array], out }, output => {
    const outStrides = keepDims ? without(output.strides, axes) : output.strides;
    backendOf(stream).reduce({ name, input: array, output, result, stream, split, outStrides });
  });
}

/** The number of elements that each element of a reduction's result is made of. */
function countOf({ shape, ndim }: NDArray, { axis }: ReductionOptions): number {
  return toAxes(axis, ndim).reduce((count, each) => count * shape[each]!, 1);
}

/** Returns the sum of the elements; floats accumulate in float64. 0 for no elements. */
export function sum<D extends DTypeName, O extends SumOptions>(
  array: NDArray<D>,
  options?: O
): NDArray<SummedAs<D, O>> {
  const type = elementTypeOf(array.dtype);
  const result = sumType(type, options?.dtype);
  if (isComplex(type) && !isComplex(result))
    throw new DTypeError(`sum: dtype is ${result}, expected a complex type for ${type}`);
  return reduce('sum', array, options ?? {}, result) as NDArray<SummedAs<D, O>>;
}

/** Returns the product of the elements; 1 for no elements. */
export function prod<D extends DTypeName, O extends SumOptions>(
  array: NDArray<D>,
  options?: O
): NDArray<SummedAs<D, O>> {
  const type = elementTypeOf(array.dtype);
  return reduce('prod', array, options ?? {}, sumType(type, options?.dtype)) as NDArray<SummedAs<D, O>>;
}

/** Returns the smallest element; NaN if there is one. @throws ValueError for no elements, DTypeError for complex numbers */
export function min<D extends DTypeName>(array: NDArray<D>, options: ReductionOptions = {}): NDArray<D> {
  return extreme('min', array, options) as NDArray<D>;
}

/** Returns the largest element; NaN if there is one. @throws ValueError for no elements, DTypeError for complex numbers */
export function max<D extends DTypeName>(array: NDArray<D>, options: ReductionOptions = {}): NDArray<D> {
  return extreme('max', array, options) as NDArray<D>;
}

function extreme(
  name: 'min' | 'max' | 'argmin' | 'argmax',
  array: NDArray,
  options: ReductionOptions,
  result?: 'int64'
): NDArray {
  const type = elementTypeOf(array.dtype);
  if (isComplex(type)) throw new DTypeError(`${name}: complex numbers have no order`);
  if (countOf(array, options) === 0)
    throw new ValueError(`${name} of no elements: shape ${formatShape(array.shape)} is empty along the axes`);
  return reduce(name, array, options, result ?? type);
}

/** Returns the mean; float64 for integers, and NaN for no elements. */
export function mean<D extends DTypeName>(
  array: NDArray<D>,
  options: ReductionOptions = {}
): NDArray<Summed<D>> {
  const type = elementTypeOf(array.dtype);
  const result = isInteger(type) || type === 'bool' ? 'float64' : type;
  const carried = isComplex(type) || type === 'float64' || result === 'float64' ? result : 'float32';
  const count = countOf(array, options);
  const { out, ...others } = options;
  const total = reduce('sum', array, others, carried);
  const stream = others.stream ?? array.stream;
  const made =
    out === undefined && carried === result
      ? divide(total, count, { out: total, stream })
      : convertedMean(total, count, result, { out, stream });
  return made as NDArray<Summed<D>>;
}

/** Divides a sum that is not the result itself, and disposes of it. Its `using` would slow down its caller. */
function convertedMean(
  total: NDArray,
  count: number,
  result: ElementTypeName,
  { out, stream }: OutOption
): NDArray {
  using temporary = total;
  if (out !== undefined) return divide(temporary, count, { out, stream });
  divide(temporary, count, { out: temporary, stream });
  return astype(temporary, dtypes[result], { stream });
}

/** Tests whether any element is true or non-zero; false for no elements. */
export function any(array: NDArray, options: ReductionOptions = {}): NDArray<'bool'> {
  elementTypeOf(array.dtype);
  return reduce('any', array, options, 'bool') as NDArray<'bool'>;
}

/** Tests whether all elements are true or non-zero; true for no elements. */
export function all(array: NDArray, options: ReductionOptions = {}): NDArray<'bool'> {
  elementTypeOf(array.dtype);
  return reduce('all', array, options, 'bool') as NDArray<'bool'>;
}

/** Options of `argmin` and `argmax`. */
export interface PositionOptions extends OutOption {
  /** The axis to search along; if left out, all elements in row-major order. */
  readonly axis?: number | null | undefined;
  /** Whether the reduced axes stay, with length 1. Default false. */
  readonly keepDims?: boolean | undefined;
}

/** Returns the first position of the smallest element; NaN counts as smallest. @throws ValueError for no elements */
export function argmin(array: NDArray, options: PositionOptions = {}): NDArray<'int64'> {
  return extreme('argmin', array, options, 'int64') as NDArray<'int64'>;
}

/** Returns the first position of the largest element; NaN counts as largest. @throws ValueError for no elements */
export function argmax(array: NDArray, options: PositionOptions = {}): NDArray<'int64'> {
  return extreme('argmax', array, options, 'int64') as NDArray<'int64'>;
}

/** Options of `cumsum` and `cumprod`. */
export interface CumulationOptions extends OutOption {
  /** The axis to run along; required for arrays with more than one axis. */
  readonly axis?: number | undefined;
  /** The dtype of the result; by default that of `sum` or `prod`. */
  readonly dtype?: DTypeLike | undefined;
}

function cumulate(name: 'sum' | 'prod', array: NDArray, options: CumulationOptions): NDArray {
  if (options.axis === undefined && array.ndim !== 1)
    throw new ValueError(`cumulative ${name}: an array of ${array.ndim} dimensions needs an axis`);
  const axis = toAxis(options.axis ?? 0, array.ndim);
  const result = sumType(elementTypeOf(array.dtype), options.dtype);
  const stream = streamFor([array], options);
  const { out } = options;
  const made = { shape: array.shape, dtype: dtypes[result], stream, inputs: [array], out };
  return resultOf(made, output =>
    backendOf(stream).cumulate({ name, input: array, output, result, stream, axis })
  );
}

/** Returns the running sums along an axis. Bool and narrower integers become int64 or uint64 unless `dtype` is given. */
export function cumsum<D extends DTypeName, O extends CumulationOptions>(
  array: NDArray<D>,
  options?: O
): NDArray<SummedAs<D, O>> {
  return cumulate('sum', array, options ?? {}) as NDArray<SummedAs<D, O>>;
}

/** Returns the running products along an axis. Bool and narrower integers become int64 or uint64 unless `dtype` is given. */
export function cumprod<D extends DTypeName, O extends CumulationOptions>(
  array: NDArray<D>,
  options?: O
): NDArray<SummedAs<D, O>> {
  return cumulate('prod', array, options ?? {}) as NDArray<SummedAs<D, O>>;
}
