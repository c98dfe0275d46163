/** Joins arrays, and takes elements by position. */

import { NDArray, type StreamOption } from '../array/array.ts';
import { dtypes, type DTypeName } from '../dtype/dtype.ts';
import { DTypeError, IndexError, ShapeError, ValueError } from '../base/errors.ts';
import { formatShape, type Shape } from '../layout/shape.ts';
import type { Stream } from '../core/stream.ts';
import { toAxis, without } from '../compute/program/axes.ts';
import { castOf } from './convert.ts';
import { filled, requireOutLike, streamFor, type OutOption } from './evaluate.ts';
import { elementTypeOf, promote } from '../compute/program/promotion.ts';
import { max, min } from './reductions.ts';
import { backendOf, runProgram } from '../compute/run.ts';
import { equalShapes } from '../compute/program/space.ts';

/** Options of `concatenate` and `stack`. */
export interface JoinOptions extends StreamOption {
  /** The axis to join along. Default 0; null flattens the arrays first. */
  readonly axis?: number | null | undefined;
}

function requireSome(name: string, arrays: readonly NDArray[]): NDArray {
  const [first] = arrays;
  if (first === undefined) throw new ValueError(`${name}: expected at least one array`);
  return first;
}

/** Joins arrays along an existing axis. @throws ShapeError if the other axes differ */
export function concatenate<D extends DTypeName>(
  arrays: readonly NDArray<D>[],
  options: JoinOptions = {}
): NDArray<D> {
  const first = requireSome('concatenate', arrays);
  if (options.axis === null) return concatenateFlat(arrays, options);
  const axis = toAxis(options.axis ?? 0, first.ndim);
  let length = 0;
  for (const { shape } of arrays) {
    if (!differOnlyAlong(axis, shape, first.shape))
      throw new ShapeError(
        `concatenate: ${formatShape(first.shape)} and ${formatShape(shape)} differ in more than axis ${axis}`
      );
    length += shape[axis]!;
  }
  return join(arrays, first.shape.with(axis, length), axis, options);
}

/** Joins all elements in row-major order. */
function concatenateFlat<D extends DTypeName>(
  arrays: readonly NDArray<D>[],
  options: JoinOptions
): NDArray<D> {
  using views = new DisposableStack();
  const parts = arrays.map(array => views.use(flatten(array, options)));
  return concatenate(parts, { ...options, axis: 0 });
}

function differOnlyAlong(axis: number, a: Shape, b: Shape): boolean {
  if (a.length !== b.length) return false;
  for (let at = 0; at < a.length; at++) if (at !== axis && a[at] !== b[at]) return false;
  return true;
}

function flatten<D extends DTypeName>(array: NDArray<D>, options: StreamOption): NDArray<D> {
  if (array.isRowMajor) return array.reshape(-1);
  using copy = array.copy(options);
  return copy.reshape(-1);
}

/** Joins arrays of one shape along a new axis. @throws ShapeError if they differ */
export function stack<D extends DTypeName>(
  arrays: readonly NDArray<D>[],
  options: JoinOptions = {}
): NDArray<D> {
  const first = requireSome('stack', arrays);
  const axis = toAxis(options.axis ?? 0, first.ndim + 1);
  for (const { shape } of arrays) {
    if (!equalShapes(shape, first.shape))
      throw new ShapeError(`stack: shapes ${formatShape(first.shape)} and ${formatShape(shape)} differ`);
  }
  return join(arrays, first.shape.toSpliced(axis, 0, arrays.length), axis, options);
}

/** Makes an array of the promoted dtype, and fills it part by part along an axis, which the parts of a stack lack. */
function join<D extends DTypeName>(
  arrays: readonly NDArray<D>[],
  shape: Shape,
  axis: number,
  options: StreamOption
): NDArray<D> {
  const stream = streamFor(arrays, options);
  const type = arrays.map(({ dtype }) => elementTypeOf(dtype)).reduce(promote);
  const made = NDArray.allocate(shape, dtypes[type], stream);
  return filled(made as unknown as NDArray<D>, ({ storage, strides }) => {
    const stacked = arrays[0]!.ndim < shape.length;
    const own = stacked ? without(strides, [axis]) : strides;
    let at = 0;
    for (const array of arrays) {
      const part = { storage, shape: array.shape, strides: own, offset: at * strides[axis]! };
      const built = castOf(elementTypeOf(array.dtype), type).storedAs(type);
      runProgram({ built, shape: array.shape, outputs: [part], inputs: [array], stream });
      at += stacked ? 1 : array.shape[axis]!;
    }
  });
}

/** Options of `take`. */
export interface TakeOptions extends OutOption {
  /** The axis to take from; required for arrays with more than one axis. */
  readonly axis?: number | undefined;
  /** For positions outside the axis: `raise` (default) throws, after waiting for the device to read them; `wrap` takes them modulo the length. */
  readonly mode?: 'raise' | 'wrap' | undefined;
}

/**
 * Selects elements by their positions along an axis; negative positions count from the end. The axes of `indices` replace the axis.
 * @throws IndexError for a position outside the axis (mode `raise`), DTypeError for positions of other types than int32 and int64
 */
export function take<D extends DTypeName>(
  array: NDArray<D>,
  indices: NDArray,
  options: TakeOptions = {}
): NDArray<D> {
  if (options.axis === undefined && array.ndim !== 1)
    throw new IndexError(`take: an array of ${array.ndim} dimensions needs an axis`);
  const axis = toAxis(options.axis ?? 0, array.ndim);
  if (indices.dtype.name !== 'int64' && indices.dtype.name !== 'int32')
    throw new DTypeError(`take: positions have dtype ${indices.dtype.name}, expected int32 or int64`);
  const stream = streamFor([array, indices], options);
  const length = array.shape[axis]!;
  if ((options.mode ?? 'raise') === 'raise') requireInside(indices, length);
  else if (length === 0 && indices.size > 0) throw new IndexError('take: the axis is empty');
  const shape = array.shape.toSpliced(axis, 1, ...indices.shape);
  const { out } = options;
  if (out !== undefined) requireOutLike(out, shape, array.dtype);
  if (out === undefined && indices.ndim === 1 && indices.isRowMajor)
    return takeFlat(array, indices, axis, stream);
  return takeShaped(array, indices, axis, stream, shape, out) as NDArray<D>;
}

/** Takes elements at contiguous positions of one axis. */
function takeFlat<D extends DTypeName>(
  array: NDArray<D>,
  positions: NDArray,
  axis: number,
  stream: Stream
): NDArray<D> {
  const made = NDArray.allocate(array.shape.with(axis, positions.size), array.dtype, stream);
  if (made.size === 0) return made;
  return filled(made, output => backendOf(stream).take({ input: array, positions, output, axis, stream }));
}

/** Flattens the positions, and gives the result, which has one axis for them, its shape. */
function takeShaped(
  array: NDArray,
  indices: NDArray,
  axis: number,
  stream: Stream,
  shape: Shape,
  out: NDArray | undefined
): NDArray {
  using positions = flatten(indices, { stream });
  using flat = takeFlat(array, positions, axis, stream);
  if (out === undefined) return flat.reshape(...shape);
  using shaped = flat.reshape(...shape);
  return out.copyFrom(shaped, { stream });
}

/** More positions are checked on the device, fewer take longer to launch than to read. */
const MOST_READ = 4096;

function requireInside(indices: NDArray, length: number): void {
  if (indices.size > MOST_READ) {
    using least = min(indices);
    using most = max(indices);
    if (Number(least.item()) >= -length && Number(most.item()) < length) return;
  }
  const host = indices.toTypedArray() as Int32Array | BigInt64Array;
  const wide = host instanceof BigInt64Array;
  const words = wide ? new Int32Array(host.buffer, host.byteOffset, 2 * host.length) : host;
  for (let index = 0; index < host.length; index++) {
    // Comparisons of bigints are slow. The sum is exact where it could be a position.
    const position = wide ? 2 ** 32 * words[2 * index + 1]! + (words[2 * index]! >>> 0) : words[index]!;
    if (position >= -length && position < length) continue;
    throw new IndexError(`take: position ${host[index]} is outside an axis of length ${length}`);
  }
}
