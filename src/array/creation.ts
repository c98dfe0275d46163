/** Functions that make arrays, named as in the array API standard. */

import { NDArray, type StreamOption } from './array.ts';
import { flatten, nestedShape, type NestedValues } from './nested.ts';
import { isOperand, typeOfValue } from '../compute/program/promotion.ts';
import { backendOf } from '../compute/run.ts';
import { toDevice, type DeviceLike } from '../core/device.ts';
import { requireOptions } from '../base/did-you-mean.ts';
import {
  dtypes,
  type CoreDTypeName,
  type DType,
  type DTypeLike,
  type DTypeName,
  type NameOf
} from '../dtype/dtype.ts';
import { writeScalar } from '../dtype/elements.ts';
import { dtypeNameOfView, hostArray, type HostArray, type Scalar } from '../dtype/host-array.ts';
import { ArgumentError, DeviceError, ValueError } from '../base/errors.ts';
import { toDType } from '../dtype/resolve.ts';
import { toShape, type Shape, type ShapeLike } from '../layout/shape.ts';
import { Stream } from '../core/stream.ts';
import { textOf } from '../base/value-text.ts';

/** Options of functions that create an array. */
export interface CreationOptions<L extends DTypeLike = DTypeLike> extends StreamOption {
  /** The dtype: a name of the array API standard, a typestr or a dtype object. */
  readonly dtype?: L | undefined;
  /** The device to allocate on; by default that of the stream, if given, otherwise the default device. */
  readonly device?: DeviceLike | undefined;
}

const OPTIONS = new Set(['dtype', 'device', 'stream']);

function placement(options: CreationOptions): Stream {
  requireOptions('a new array', options, OPTIONS);
  const { stream, device } = options;
  if (stream === undefined) return Stream.legacyDefault(toDevice(device));
  if (!(stream instanceof Stream)) throw new ArgumentError(`stream is ${textOf(stream)}, expected a Stream`);
  if (device !== undefined && toDevice(device) !== stream.device)
    throw new DeviceError(
      `device ${toDevice(device).toString()}, but the stream is on ${stream.device.toString()}`
    );
  return stream;
}

/** Makes host elements, each checked against the dtype. @throws ValueError */
function hostOf(dtype: DType, count: number, valueAt: (index: number) => Scalar): HostArray {
  const host = hostArray(dtype, count);
  for (let index = 0; index < count; index++) writeScalar(host, dtype, index, valueAt(index));
  return host;
}

function fromHost<D extends DTypeName>(
  host: HostArray,
  shape: Shape,
  dtype: DType<D>,
  stream: Stream
): NDArray<D> {
  const result = NDArray.allocate(shape, dtype, stream);
  if (result.size > 0) result.storage.writeFromHost(0, host, stream);
  return result;
}

/** Creates an array whose contents are not initialized. @throws ShapeError, DTypeError, DeviceError, DriverError */
export function empty<L extends DTypeLike = 'float64'>(
  shape: ShapeLike,
  options: CreationOptions<L> = {}
): NDArray<NameOf<L>> {
  const dtype = toDType(options.dtype ?? dtypes.float64) as DType<NameOf<L>>;
  return NDArray.allocate(toShape(shape), dtype, placement(options));
}

/** Creates an array of zeros; float64 unless `dtype` is given. @throws ShapeError, DTypeError, DeviceError, DriverError */
export function zeros<L extends DTypeLike = 'float64'>(
  shape: ShapeLike,
  options: CreationOptions<L> = {}
): NDArray<NameOf<L>> {
  const result = empty(shape, options);
  if (result.size > 0) result.storage.fill(0, 1, 0, result.nbytes, result.stream);
  return result;
}

/** Creates an array of ones; float64 unless `dtype` is given. */
export function ones<L extends DTypeLike = 'float64'>(
  shape: ShapeLike,
  options: CreationOptions<L> = {}
): NDArray<NameOf<L>> {
  return empty(shape, options).fill(1);
}

/** Creates an array of one value, by default of the dtype of that value. @throws ValueError when the dtype cannot hold it */
export function full<L extends DTypeLike = CoreDTypeName>(
  shape: ShapeLike,
  value: Scalar,
  options: CreationOptions<L> = {}
): NDArray<NameOf<L>> {
  const dtype = toDType(options.dtype ?? dtypeOfScalar(value)) as DType<NameOf<L>>;
  return NDArray.allocate(toShape(shape), dtype, placement(options)).fill(value);
}

/**
 * Creates a 1-d array of evenly spaced values, excluding `stop`: `arange(stop)` or `arange(start, stop,
 * step)`. int64 if all arguments are bigint, otherwise float64, unless `dtype` is given.
 * @throws ValueError for a step of zero or a bound that is not finite
 */
export function arange<L extends DTypeLike = 'float64' | 'int64'>(
  stop: number | bigint,
  options?: CreationOptions<L>
): NDArray<NameOf<L>>;
export function arange<L extends DTypeLike = CoreDTypeName>(
  start: number | bigint,
  stop: number | bigint,
  step?: number | bigint,
  options?: CreationOptions<L>
): NDArray<NameOf<L>>;
export function arange(
  startOrStop: number | bigint,
  second?: number | bigint | CreationOptions,
  third?: number | bigint,
  fourth?: CreationOptions
): NDArray {
  const single = second === undefined || typeof second === 'object';
  const [start, stop, step] = single ? [0, startOrStop, 1] : [startOrStop, second, third ?? 1];
  const options = (single ? second : fourth) ?? {};
  for (const bound of [start, stop, step]) {
    if (typeof bound !== 'bigint' && !Number.isFinite(bound))
      throw new ValueError(`arange: ${textOf(bound)} is not a finite number`);
  }
  if (Number(step) === 0) throw new ValueError('arange: the step is zero');
  const exact = typeof stop === 'bigint';
  const dtype = toDType(options.dtype ?? (exact ? dtypes.int64 : dtypes.float64));
  const count = Math.max(0, Math.ceil((Number(stop) - Number(start)) / Number(step)));
  const shape = toShape(count);
  const stream = placement(options);
  if (exact) {
    const host = hostOf(dtype, count, index => BigInt(start) + BigInt(index) * BigInt(step));
    return fromHost(host, shape, dtype, stream);
  }
  const [first, by] = [Number(start), Number(step)];
  const type = dtype.name;
  if (type === 'float64' || type === 'float32') return spaced(dtype, type, shape, first, by, stream);
  const host = hostOf(dtype, count, index => first + index * by);
  return fromHost(host, shape, dtype, stream);
}

/** These types hold every number, so elements need no check. */
function spaced(
  dtype: DType,
  type: 'float32' | 'float64',
  shape: Shape,
  first: number,
  step: number,
  stream: Stream
): NDArray {
  const result = NDArray.allocate(shape, dtype, stream);
  const { size } = result;
  if (size === 0 || backendOf(stream).spaced({ output: result, type, size, first, step, stream }))
    return result;
  const host = hostArray(dtype, size) as Float64Array<ArrayBuffer>;
  for (let index = 0; index < size; index++) host[index] = first + index * step;
  result.storage.writeFromHost(0, host, stream);
  return result;
}

/**
 * Creates an array from a typed array (1-d, with its dtype) or from nested arrays of values; both are copied. Without `dtype`, booleans
 * become bool, bigints int64, numbers float64 and `{re, im}` complex128.
 * @throws ShapeError for ragged nesting, ValueError for a value the dtype cannot hold
 */
export function array<L extends DTypeLike = CoreDTypeName>(
  data: NestedValues | ArrayBufferView,
  options: CreationOptions<L> = {}
): NDArray<NameOf<L>> {
  return (
    ArrayBuffer.isView(data) ? arrayFromView(data, options) : arrayFromNested(data, options)
  ) as NDArray<NameOf<L>>;
}

function arrayFromNested(data: NestedValues, options: CreationOptions): NDArray {
  const shape = nestedShape(data);
  const flat = flatten(data, shape);
  const dtype = toDType(options.dtype ?? (flat.length > 0 ? commonDType(flat) : dtypes.float64));
  const host = hostOf(dtype, flat.length, index => flat[index]!);
  return fromHost(host, shape, dtype, placement(options));
}

function arrayFromView(view: ArrayBufferView, options: CreationOptions): NDArray {
  const name = dtypeNameOfView(view);
  if (name === undefined) throw new ArgumentError('array: a DataView has no dtype, pass a typed array');
  const source = dtypes[name];
  const dtype = toDType(options.dtype ?? source);
  const elements = view as HostArray;
  const shape = toShape(elements.length);
  if (dtype === source) return fromHost(elements, shape, dtype, placement(options));
  const host = hostOf(dtype, elements.length, index => elements[index]!);
  return fromHost(host, shape, dtype, placement(options));
}

function dtypeOfScalar(value: Scalar): DType {
  if (isOperand(value)) return dtypes[typeOfValue(value)];
  throw new ValueError(
    `array: a value of type ${value === null ? 'null' : typeof value} is not a boolean, number, bigint or {re, im}`
  );
}

/** The widest dtype of the values: complex over float over integer over bool. */
function commonDType(values: readonly Scalar[]): DType {
  const order: readonly DType[] = [dtypes.bool, dtypes.int64, dtypes.float64, dtypes.complex128];
  return order[Math.max(...new Set(values.map(value => order.indexOf(dtypeOfScalar(value)))))]!;
}
