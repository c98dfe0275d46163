/** From expressions and arrays to results: where they run, what they are stored in, and what may be written in place. */

import { NDArray, type StreamOption } from '../array.ts';
import type { Device } from '../device.ts';
import { dtypes, type DTypeName } from '../dtype/dtype.ts';
import { ArgumentError, DeviceError, DTypeError, ReadOnlyError, ShapeError } from '../errors.ts';
import { formatShape, type Shape } from '../layout/shape.ts';
import { extentOf } from '../layout/strides.ts';
import type { Stream } from '../stream.ts';
import { buildProgram, type Expression } from './expression.ts';
import { ELEMENT_TYPES, type ElementTypeName } from './opcodes.ts';
import { promote } from './promotion.ts';
import { cast } from './rules.ts';
import { runProgram } from './run.ts';
import { broadcastShapes, equalShapes } from './space.ts';

export interface OutOption extends StreamOption {
  /** Takes the result instead of a new array: of the result's shape, and of a type that holds it. May be one of the operands. */
  readonly out?: NDArray | undefined;
}

/** The stream of an operation: the one named, else that of `out`, else of the first array. @throws DeviceError */
export function streamFor(arrays: readonly NDArray[], options: OutOption): Stream {
  const stream = options.stream ?? (options.out ?? (arrays[0] as NDArray)).stream;
  for (const array of arrays) requireOn(stream.device, array);
  if (options.out !== undefined) requireOn(stream.device, options.out);
  return stream;
}

function requireOn(device: Device, array: NDArray): void {
  if (array.device === device) return;
  throw new DeviceError(
    `an array on ${array.device.toString()} in an operation on ${device.toString()}: bring it there with toDevice()`
  );
}

const rank = (name: ElementTypeName): number => 'biufc'.indexOf(dtypes[name].kind);

/** Whether `out` may hold values of a type: of its kind or a higher one, as NumPy's same_kind has it. */
export function requireHolds(out: NDArray, type: ElementTypeName): ElementTypeName {
  const own = out.dtype.name as ElementTypeName;
  if (!ELEMENT_TYPES.includes(own)) throw new DTypeError(`out is ${own}, which arithmetic does not write`);
  const signLost = dtypes[type].kind === 'i' && dtypes[own].kind === 'u';
  if (rank(own) < rank(type) || signLost) {
    if (promote(own, type) !== own)
      throw new DTypeError(
        `out is ${own}, which does not hold the result, ${type}: convert it with astype()`
      );
  }
  return own;
}

export function requireOut(out: NDArray, shape: Shape): void {
  if (out.readOnly) throw new ReadOnlyError('out is read-only (rule 59)');
  if (!equalShapes(out.shape, shape)) {
    throw new ShapeError(`out has shape ${formatShape(out.shape)}, the result ${formatShape(shape)}`);
  }
}

/** True where the bytes of two arrays meet, unless both have the same elements in the same places. */
export function clashes(out: NDArray, input: NDArray): boolean {
  if (out.storage !== input.storage && out.storage.pointer !== input.storage.pointer) {
    // Storages over the same memory, such as imports, are told by their addresses.
    const [a, b] = [bytesOf(out), bytesOf(input)];
    return a.start < b.end && b.start < a.end;
  }
  const same =
    out.offset === input.offset &&
    equalShapes(out.shape, input.shape) &&
    equalShapes(out.strides, input.strides);
  if (same && out.dtype.itemsize === input.dtype.itemsize) return false;
  const [a, b] = [bytesOf(out), bytesOf(input)];
  return a.start < b.end && b.start < a.end;
}

function bytesOf(array: NDArray): { start: bigint; end: bigint } {
  const { start, end } = extentOf(array.shape, array.strides, array.dtype.itemsize);
  return { start: array.pointer + BigInt(start), end: array.pointer + BigInt(end) };
}

/** Computes one expression of arrays into `out` or a new array. */
export function evaluate(expression: Expression, inputs: readonly NDArray[], options: OutOption): NDArray {
  if (inputs.length === 0) throw new ArgumentError('an operation needs at least one array');
  const stream = streamFor(inputs, options);
  const shape = broadcastShapes(inputs.map(input => input.shape));
  const types = inputs.map(({ dtype }) => dtype.name as ElementTypeName);
  const { out } = options;
  if (out === undefined) {
    const result = NDArray.allocate(shape, dtypes[expression.type], stream);
    submit(result, expression);
    return result as NDArray;
  }
  requireOut(out, shape);
  const held = cast(expression, requireHolds(out, expression.type));
  if (!inputs.some(input => clashes(out, input))) {
    submit(out, held);
    return out;
  }
  const draft = NDArray.allocate(shape, dtypes[held.type] as typeof out.dtype, stream);
  try {
    submit(draft, held);
    assign(out, draft, stream);
  } finally {
    draft.dispose();
  }
  return out;

  function submit(target: NDArray, computed: Expression): void {
    const { program, values } = buildProgram(types, [computed]);
    try {
      runProgram({ program, values, shape, outputs: [target], inputs, stream });
    } catch (error) {
      if (target !== out) target.dispose();
      throw error;
    }
  }
}

/** Elements of one array into another of the same type and shape, whatever the strides of either. */
export function assign(target: NDArray, source: NDArray, stream: Stream): void {
  const type = source.dtype.name as ElementTypeName;
  const program = COPIES.get(type) ?? makeCopy(type);
  runProgram({ program, values: [], shape: target.shape, outputs: [target], inputs: [source], stream });
}

type Copy = ReturnType<typeof buildProgram>['program'];
const COPIES = new Map<DTypeName, Copy>();

function makeCopy(type: ElementTypeName): Copy {
  const program = { key: `copy ${type}`, inputs: [type], values: [], instructions: [], outputs: [0] };
  COPIES.set(type, program);
  return program;
}
