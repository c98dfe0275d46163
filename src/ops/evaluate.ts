/** From expressions and arrays to results: where they run, what they are stored in, and what may be written in place. */

import { NDArray, type StreamOption } from '../array/array.ts';
import type { Device } from '../core/device.ts';
import { requireOptions } from '../base/did-you-mean.ts';
import { dtypes, type DType } from '../dtype/dtype.ts';
import { ArgumentError, DeviceError, DTypeError, ReadOnlyError, ShapeError } from '../base/errors.ts';
import { formatShape, type Shape } from '../layout/shape.ts';
import type { Stream } from '../core/stream.ts';
import { buildProgram, type BuiltProgram, type Expression } from '../compute/program/expression.ts';
import { ELEMENT_TYPES, type ElementTypeName } from '../compute/program/element-types.ts';
import { copyElements } from '../compute/move.ts';
import { clashes, overlaps } from '../compute/overlap.ts';
import { promote } from '../compute/program/promotion.ts';
import { runProgram } from '../compute/run.ts';
import { broadcastShapes, equalShapes } from '../compute/program/space.ts';
import { cast } from './rules.ts';

/** Where the result of an operation goes. */
export interface OutOption extends StreamOption {
  /** An array that receives the result: of the result's shape, and of a dtype that can hold it. It may be one of the operands. */
  readonly out?: NDArray | undefined;
}

/** What some operation takes. */
const OPTIONS = new Set(['stream', 'out', 'axis', 'keepDims', 'dtype', 'copy', 'tf32', 'mode']);

/** The stream of an operation: the one named, else that of `out`, else of the first array. @throws DeviceError, FreedError */
export function streamFor(arrays: readonly NDArray[], options: OutOption): Stream {
  requireOptions('an operation', options, OPTIONS);
  const { out } = options;
  const stream = options.stream ?? (out ?? arrays[0])?.stream;
  if (stream === undefined) throw new ArgumentError('an operation needs at least one array');
  for (let which = 0; which < arrays.length; which++) requireOn(stream.device, arrays[which]!);
  if (out !== undefined) requireOn(stream.device, out);
  return stream;
}

function requireOn(device: Device, array: NDArray): void {
  if (array.storage.device === device) return; // the storage of a freed array throws
  throw new DeviceError(
    `operands are on different devices (${array.device.toString()} and ${device.toString()}): copy one with toDevice()`
  );
}

const rank = (name: ElementTypeName): number => 'biufc'.indexOf(dtypes[name].kind);

/** Whether an `out` of that dtype may hold values of a type: of its kind or a higher one, as NumPy's same_kind has it. @throws DTypeError */
function requireStores(name: string, type: ElementTypeName): ElementTypeName {
  const own = name as ElementTypeName;
  if (!ELEMENT_TYPES.includes(own))
    throw new DTypeError(
      `out has dtype ${own}, which arithmetic does not support: pass an array of a numeric dtype or bool`
    );
  const signLost = dtypes[type].kind === 'i' && dtypes[own].kind === 'u';
  if ((rank(own) < rank(type) || signLost) && promote(own, type) !== own)
    throw new DTypeError(`out is ${own}, which does not hold the result, ${type}: convert it with astype()`);
  return own;
}

/** Requires that a result of that shape may be written to `out`. @throws ReadOnlyError, ShapeError */
function requireOut(out: NDArray, shape: Shape): void {
  if (out.readOnly) throw new ReadOnlyError('out is read-only (rule 59)');
  if (!equalShapes(out.shape, shape))
    throw new ShapeError(
      `out has shape ${formatShape(out.shape)}, expected ${formatShape(shape)}, that of the result`
    );
}

/** Requires that `out` has exactly the result's shape and dtype. @throws ReadOnlyError, ShapeError, DTypeError */
export function requireOutLike(out: NDArray, shape: Shape, dtype: DType): void {
  requireOut(out, shape);
  if (out.dtype.name !== dtype.name)
    throw new DTypeError(`out has dtype ${out.dtype.name}, expected ${dtype.name}, that of the result`);
}

/** What an operation that is not elementwise makes. */
interface ResultOf {
  readonly shape: Shape;
  readonly dtype: DType;
  readonly stream: Stream;
  readonly inputs: readonly NDArray[];
  readonly out?: NDArray | undefined;
}

/** Fills a new array, which is disposed where that fails. */
export function filled<A extends NDArray>(made: A, fill: (made: A) => void): A {
  try {
    fill(made);
    return made;
  } catch (error) {
    made.dispose();
    throw error;
  }
}

/** Lets `fill` write a result: into `out` if it shares no memory with an input, otherwise into a new array, which is copied to `out`, if any. */
export function resultOf(result: ResultOf, fill: (target: NDArray) => void): NDArray {
  const { shape, dtype, inputs, out } = result;
  if (out === undefined) return newResultOf(result, fill);
  requireOutLike(out, shape, dtype);
  if (inputs.some(input => overlaps(out, input))) return copiedResultOf(result, out, fill);
  if (out.size > 0) fill(out);
  return out;
}

function newResultOf({ shape, dtype, stream }: ResultOf, fill: (target: NDArray) => void): NDArray {
  const made = NDArray.allocate(shape, dtype, stream);
  return made.size > 0 ? filled<NDArray>(made, fill) : made;
}

/** Copies a new result to `out`, which overlaps an input. Its `using` would slow down its caller. */
function copiedResultOf(result: ResultOf, out: NDArray, fill: (target: NDArray) => void): NDArray {
  using draft = newResultOf(result, fill);
  return out.copyFrom(draft, { stream: result.stream });
}

/** An expression with the programs made of it, one for each type that it is stored as: what repeated calls share. */
export class Computation {
  /** Of the result where `out` names no other. */
  readonly type: ElementTypeName;
  readonly #expression: Expression;
  readonly #inputs: readonly ElementTypeName[];
  readonly #built = new Map<string, BuiltProgram>();

  constructor(expression: Expression, inputs: readonly ElementTypeName[]) {
    this.type = expression.type;
    this.#expression = expression;
    this.#inputs = inputs;
  }

  /** Returns the program whose result has the type `own`. @throws DTypeError if that may not hold the result */
  storedAs(own: string): BuiltProgram {
    const known = this.#built.get(own);
    if (known !== undefined) return known;
    const stored = own === this.type ? this.type : requireStores(own, this.type);
    const built = buildProgram(this.#inputs, [cast(this.#expression, stored)]);
    this.#built.set(own, built);
    return built;
  }
}

/** Computes an expression of arrays, which `inputs` are in the order of its inputs, into `out` or a new array. */
export function evaluate(expression: Expression, inputs: readonly NDArray[], options: OutOption): NDArray {
  const types = inputs.map(({ dtype }) => dtype.name as ElementTypeName);
  return compute(new Computation(expression, types), inputs, options);
}

/** Runs a prepared computation on its inputs, for expressions that are used again. */
export function compute(computation: Computation, inputs: readonly NDArray[], options: OutOption): NDArray {
  const stream = streamFor(inputs, options);
  const shape = broadcastShapesOf(inputs);
  const { out } = options;
  if (out === undefined) return computeNew(computation, shape, inputs, stream, computation.type);
  requireOut(out, shape);
  const built = computation.storedAs(out.dtype.name);
  if (anyClashes(out, inputs)) computeApart(computation, shape, inputs, stream, out);
  else runProgram({ built, shape, outputs: [out], inputs, stream });
  return out;
}

/** Computes into new memory and copies it to `out`, which overlaps an input. Its `using` would slow down its caller. */
function computeApart(
  computation: Computation,
  shape: Shape,
  inputs: readonly NDArray[],
  stream: Stream,
  out: NDArray
): void {
  using draft = computeNew(computation, shape, inputs, stream, out.dtype.name as ElementTypeName);
  copyElements(out, draft, stream);
}

function computeNew(
  computation: Computation,
  shape: Shape,
  inputs: readonly NDArray[],
  stream: Stream,
  type: ElementTypeName
): NDArray {
  const built = computation.storedAs(type);
  return filled<NDArray>(NDArray.allocate(shape, dtypes[type], stream), result =>
    runProgram({ built, shape, outputs: [result], inputs, stream })
  );
}

function broadcastShapesOf(inputs: readonly NDArray[]): Shape {
  const { shape } = inputs[0]!;
  for (let which = 1; which < inputs.length; which++) {
    const other = inputs[which]!.shape;
    if (other !== shape && !equalShapes(other, shape))
      return broadcastShapes(inputs.map(input => input.shape));
  }
  return shape;
}

function anyClashes(out: NDArray, inputs: readonly NDArray[]): boolean {
  for (let which = 0; which < inputs.length; which++) if (clashes(out, inputs[which]!)) return true;
  return false;
}
