/** Arrays put together, and elements taken by position. */

import { NDArray, type StreamOption } from '../array/array.ts';
import { dtypes, type DTypeName } from '../dtype/dtype.ts';
import { ArgumentError, DTypeError, IndexError, ShapeError, ValueError } from '../base/errors.ts';
import { formatShape, sizeOf, type Shape } from '../layout/shape.ts';
import { submit } from '../memory/submission.ts';
import { native } from '../native/load.ts';
import { toAxis } from '../compute/program/axes.ts';
import { BLOCK, emitTake } from '../compute/cuda/gather.ts';
import { generatedKernel } from '../compute/cuda/generated-kernel.ts';
import { evaluate, requireOut, streamFor, type OutOption } from './evaluate.ts';
import { Expression } from '../compute/program/expression.ts';
import { ELEMENT_TYPES, type ElementTypeName } from '../compute/program/element-types.ts';
import { elementTypeOf, promote } from '../compute/program/promotion.ts';
import { cast } from './rules.ts';
import { layoutOf } from '../compute/run.ts';
import { equalShapes } from '../compute/program/space.ts';

/** Options of `concatenate` and `stack`. */
export interface JoinOptions extends StreamOption {
  /** The axis to join along. Default 0; null flattens the arrays first. */
  readonly axis?: number | null | undefined;
}

function requireSome(name: string, arrays: readonly NDArray[]): NDArray {
  const [first] = arrays;
  if (first === undefined) throw new ValueError(`${name}: no arrays were given`);
  return first;
}

/** Joins arrays along an existing axis. @throws ShapeError where the other axes differ */
export function concatenate<D extends DTypeName>(
  arrays: readonly NDArray<D>[],
  options: JoinOptions = {}
): NDArray<D> {
  requireSome('concatenate', arrays);
  const flat = options.axis === null ? arrays.map(array => flatten(array, options)) : arrays;
  try {
    return join(flat, options);
  } finally {
    if (flat !== arrays) for (const array of flat) array.dispose();
  }
}

function flatten<D extends DTypeName>(array: NDArray<D>, options: StreamOption): NDArray<D> {
  if (array.isRowMajor) return array.reshape(-1);
  using copy = array.copy(options);
  return copy.reshape(-1);
}

function join<D extends DTypeName>(arrays: readonly NDArray<D>[], options: JoinOptions): NDArray<D> {
  const first = arrays[0] as NDArray<D>;
  const axis = toAxis(options.axis ?? 0, first.ndim);
  for (const { shape } of arrays) {
    if (shape.length === first.ndim && equalShapes(shape.with(axis, 0), first.shape.with(axis, 0))) continue;
    throw new ShapeError(
      `concatenate: ${formatShape(first.shape)} and ${formatShape(shape)} differ in more than axis ${axis}`
    );
  }
  const length = arrays.reduce((sum, { shape }) => sum + (shape[axis] as number), 0);
  return build(arrays, first.shape.with(axis, length), options, (result, array, start) => {
    const slices = first.shape.map((_, at) =>
      at === axis ? `${start}:${start + (array.shape[axis] as number)}` : ':'
    );
    return { target: result.slice(...slices), next: start + (array.shape[axis] as number) };
  });
}

/** Joins arrays of one shape along a new axis. @throws ShapeError where they differ */
export function stack<D extends DTypeName>(
  arrays: readonly NDArray<D>[],
  options: JoinOptions = {}
): NDArray<D> {
  const first = requireSome('stack', arrays) as NDArray<D>;
  const axis = toAxis(options.axis ?? 0, first.ndim + 1);
  for (const { shape } of arrays) {
    if (!equalShapes(shape, first.shape)) {
      throw new ShapeError(`stack: ${formatShape(first.shape)} and ${formatShape(shape)} differ`);
    }
  }
  return build(arrays, first.shape.toSpliced(axis, 0, arrays.length), options, (result, _, start) => {
    const slices = result.shape.map((__, at) => (at === axis ? start : ':'));
    return { target: result.slice(...slices), next: start + 1 };
  });
}

type Place<D extends DTypeName> = (
  result: NDArray<D>,
  array: NDArray,
  start: number
) => { readonly target: NDArray<D>; readonly next: number };

/** A new array of the type that all go into, filled part by part. */
function build<D extends DTypeName>(
  arrays: readonly NDArray<D>[],
  shape: Shape,
  options: StreamOption,
  place: Place<D>
): NDArray<D> {
  const stream = streamFor(arrays, options);
  const type = arrays.map(({ dtype }) => elementTypeOf(dtype)).reduce(promote);
  const result = NDArray.allocate(shape, dtypes[type], stream) as unknown as NDArray<D>;
  let start = 0;
  try {
    for (const array of arrays) {
      const { target, next } = place(result, array, start);
      start = next;
      using part = target;
      if (part.size === 0) continue;
      const element = cast(Expression.input(0, elementTypeOf(array.dtype)), type);
      evaluate(element, [array], { out: part, stream });
    }
    return result;
  } catch (error) {
    result.dispose();
    throw error;
  }
}

/** Options of `take`. */
export interface TakeOptions extends OutOption {
  /** The axis to take from; required for arrays with more than one axis. */
  readonly axis?: number | undefined;
  /**
   * What happens to positions outside the axis. `raise` (default) throws, and waits for the device to read the positions first; `wrap`
   * takes them modulo the length.
   */
  readonly mode?: 'raise' | 'wrap' | undefined;
}

/**
 * Selects elements by their positions along an axis; negative positions count from the end. The axes of `indices` replace the axis.
 * @throws IndexError for a position outside the axis (mode `raise`), DTypeError for positions that are no int32 or int64
 */
export function take<D extends DTypeName>(
  array: NDArray<D>,
  indices: NDArray,
  options: TakeOptions = {}
): NDArray<D> {
  if (options.axis === undefined && array.ndim !== 1) {
    throw new IndexError(`take: an array of ${array.ndim} dimensions needs an axis`);
  }
  const axis = toAxis(options.axis ?? 0, array.ndim);
  const wide = indices.dtype.name === 'int64';
  if (!wide && indices.dtype.name !== 'int32') {
    throw new DTypeError(`take: positions are int32 or int64, not ${indices.dtype.name}`);
  }
  const stream = streamFor([array, indices], options);
  const length = array.shape[axis] as number;
  if ((options.mode ?? 'raise') === 'raise') requireInside(indices, length);
  else if (length === 0 && indices.size > 0) throw new IndexError('take: the axis is empty');
  const shape = array.shape.toSpliced(axis, 1, ...indices.shape);
  const { out } = options;
  if (out !== undefined) {
    requireOut(out, shape);
    if (out.dtype.name !== array.dtype.name)
      throw new DTypeError(`out is ${out.dtype.name}, the result ${array.dtype.name}`);
  }
  // Positions of several axes become one, and the result is written as a new array that has one axis for them.
  using positions = flatten(indices, { stream });
  const flatShape = array.shape.with(axis, positions.size);
  const target = NDArray.allocate(flatShape, array.dtype, stream);
  try {
    if (target.size > 0) runTake(array, positions, target, axis, wide);
  } catch (error) {
    target.dispose();
    throw error;
  }
  const shaped = target.reshape(...shape);
  target.dispose();
  if (out === undefined) return shaped;
  out.copyFrom(shaped, { stream });
  shaped.dispose();
  return out as NDArray<D>;
}

function requireInside(indices: NDArray, length: number): void {
  const host = indices.toTypedArray() as Int32Array | BigInt64Array;
  for (const position of host) {
    if (position >= -length && position < length) continue;
    throw new IndexError(`take: position ${position} is outside an axis of length ${length}`);
  }
}

function runTake(array: NDArray, positions: NDArray, target: NDArray, axis: number, wide: boolean): void {
  const { stream } = target;
  const length = array.shape[axis] as number;
  const { itemsize } = array.dtype;
  if (!stream.device.simulated) return takeOnGpu(array, positions, target, axis, wide);
  const WRAP = 1;
  const layout = layoutOf(
    target.ndim,
    target.shape,
    axis,
    length,
    WRAP,
    target.offset,
    target.strides,
    array.offset,
    array.strides,
    positions.offset,
    positions.strides
  );
  const storages = [target.storage.native, array.storage.native, positions.storage.native] as const;
  const indexType = ELEMENT_TYPES.indexOf(positions.dtype.name as ElementTypeName);
  const work = (): void => native().compute.take(stream.native, itemsize, indexType, layout, storages);
  submit(stream, work, [target], [array, positions]);
}

/** What the kernel moves an element as; those of other sizes go byte by byte. */
const wordOf = (itemsize: number): number => ([2, 4, 8, 16].includes(itemsize) ? itemsize : 1);

function takeOnGpu(array: NDArray, positions: NDArray, target: NDArray, axis: number, wide: boolean): void {
  // Moved as words of an element's size, whatever its own alignment is.
  const whole = [array, target].every(
    each =>
      each.pointer % BigInt(wordOf(each.dtype.itemsize)) === 0n &&
      each.strides.every(stride => stride % wordOf(each.dtype.itemsize) === 0)
  );
  if (!whole) throw new ArgumentError('take: elements lie at odd addresses: pass array.copy() (rule 64)');
  const rank = target.ndim;
  const { itemsize } = array.dtype;
  const kernel = generatedKernel(target.device, `take/${itemsize}/${wide}/${rank}/${axis}`, () => ({
    source: emitTake(itemsize, wide, rank, axis),
    name: 'take',
    sizes: [8, 8, 8, 8, 8, 8 * (3 * rank + 1)]
  }));
  for (const [parameter, each] of [array, target, positions].entries())
    kernel.setPointer(parameter, each.pointer);
  kernel.setInt64(3, sizeOf(target.shape));
  kernel.setInt64(4, array.shape[axis] as number);
  for (const [list, values] of [target.shape, array.strides, target.strides].entries()) {
    for (const [index, value] of values.entries()) kernel.setInt64(5, value, 8 * (list * rank + index));
  }
  kernel.setInt64(5, positions.strides[0] ?? 0, 8 * 3 * rank);
  kernel.launch(
    target.stream,
    { grid: [Math.ceil(target.size / BLOCK), 1, 1], block: BLOCK },
    [target],
    [array, positions]
  );
}
