/** The backend of simulated devices: host code in the native core. */

import { submit } from '../memory/submission.ts';
import type { NativeStorage } from '../native/binding.ts';
import type { NativeProgram } from '../native/compute-binding.ts';
import { native } from '../native/load.ts';
import type { Shape } from '../layout/shape.ts';
import { buildProgram, Expression, type BuiltProgram } from './program/expression.ts';
import { ELEMENT_TYPES, type ElementTypeName } from './program/element-types.ts';
import { programWords, valueBytes } from './program/program.ts';
import type {
  Backend,
  CumulationRun,
  ElementwiseRun,
  MatmulRun,
  Operand,
  RandomRun,
  ReductionRun,
  TakeRun
} from './program/runs.ts';
import { spaceOf, type Place } from './program/space.ts';

/** The latest native program of each key, so that an expression rebuilt with equal values is not compiled again. */
const latest = new Map<string, { readonly bytes: Uint8Array; readonly native: NativeProgram }>();
const MOST_PROGRAMS = 512;

function makeHostProgram({ program, values }: BuiltProgram): NativeProgram {
  const bytes = valueBytes(program.values, values);
  const known = latest.get(program.key);
  if (known?.bytes.every((byte, index) => byte === bytes[index]) === true) return known.native;
  const made = native().compute.makeProgram(programWords(program), bytes);
  if (latest.size >= MOST_PROGRAMS) latest.clear();
  latest.set(program.key, { bytes, native: made });
  return made;
}

/** Buffers by length: native code reads a layout before it returns, and unwrapping a new typed array takes longer than reading it. */
const layouts: (Float64Array | undefined)[] = [];

/** Packs numbers into the layout that native code reads; valid until the next call. */
function layoutOf(...parts: readonly (number | readonly number[])[]): Float64Array {
  let length = 0;
  for (const part of parts) length += typeof part === 'number' ? 1 : part.length;
  const layout = (layouts[length] ??= new Float64Array(length));
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'number') layout[at++] = part;
    else for (let index = 0; index < part.length; index++) layout[at++] = part[index]!;
  }
  return layout;
}

function elementwiseLayout(shape: Shape, places: readonly Place[]): Float64Array {
  const length = 1 + shape.length + places.length * (1 + shape.length);
  const layout = (layouts[length] ??= new Float64Array(length));
  let at = 0;
  layout[at++] = shape.length;
  for (let axis = 0; axis < shape.length; axis++) layout[at++] = shape[axis]!;
  for (let which = 0; which < places.length; which++) {
    const { offset, strides } = places[which]!;
    layout[at++] = offset;
    for (let axis = 0; axis < strides.length; axis++) layout[at++] = strides[axis]!;
  }
  return layout;
}

/** Returns a shape preceded by its rank. */
const sized = (shape: readonly number[]): number[] => [shape.length, ...shape];
const placed = ({ offset, strides }: Place): number[] => [offset, ...strides];
const typeNumber = ({ dtype }: Operand): number => ELEMENT_TYPES.indexOf(dtype.name as ElementTypeName);

function elementwise({ built, shape, outputs, inputs, stream }: ElementwiseRun): void {
  const storages: NativeStorage[] = [];
  for (let which = 0; which < outputs.length; which++) storages.push(outputs[which]!.storage.native);
  for (let which = 0; which < inputs.length; which++) storages.push(inputs[which]!.storage.native);
  const layout = elementwiseLayout(shape, spaceOf(shape, outputs, inputs).places);
  const work = (): void =>
    native().compute.elementwise(stream.native, (built.host ??= makeHostProgram(built)), layout, storages);
  submit(stream, work, outputs, inputs);
}

function reduce(run: ReductionRun): void {
  const { name, input, output, stream, keptShape, keptStrides, reducedShape, reducedStrides, outStrides } =
    run;
  const layout = layoutOf(
    ...[sized(keptShape), sized(reducedShape)],
    ...[output.offset, outStrides, input.offset, keptStrides, reducedStrides]
  );
  const storages = [output.storage.native, input.storage.native] as const;
  const work = (): void =>
    native().compute.reduce(stream.native, name, typeNumber(input), typeNumber(output), layout, storages);
  submit(stream, work, [output], [input]);
}

function cumulate({ name, input, output, stream, axis }: CumulationRun): void {
  const layout = layoutOf(sized(input.shape), axis, placed(output), placed(input));
  const storages = [output.storage.native, input.storage.native] as const;
  const work = (): void =>
    native().compute.cumulate(stream.native, name, typeNumber(input), typeNumber(output), layout, storages);
  submit(stream, work, [output], [input]);
}

function matmul({ batch, m, n, k, output, a, b, strides, stream }: MatmulRun): void {
  const places = [output.offset, strides.output, a.offset, strides.a, b.offset, strides.b];
  const layout = layoutOf(sized(batch), m, n, k, ...places);
  const storages = [output.storage.native, a.storage.native, b.storage.native] as const;
  const work = (): void => native().compute.matmul(stream.native, typeNumber(output), layout, storages);
  submit(stream, work, [output], [a, b]);
}

function take({ input, positions, output, axis, stream }: TakeRun): void {
  const WRAP = 1;
  const places = [output, input, positions].flatMap(placed);
  const layout = layoutOf(sized(output.shape), axis, input.shape[axis]!, WRAP, places);
  const storages = [output.storage.native, input.storage.native, positions.storage.native] as const;
  const { itemsize } = input.dtype;
  const work = (): void =>
    native().compute.take(stream.native, itemsize, typeNumber(positions), layout, storages);
  submit(stream, work, [output], [input, positions]);
}

/** Returns the bounds, or mean and deviation, of a distribution for native code. */
function parametersOf(
  distribution: RandomRun['distribution'],
  low: bigint,
  end: bigint
): Float64Array | BigInt64Array | null {
  if (distribution === 'bits') return null;
  if (distribution !== 'integers') return Float64Array.of(0, 1);
  return BigInt64Array.of(BigInt.asIntN(64, low), BigInt.asIntN(64, end));
}

function random({ distribution, type, output, seed, position, low, span, stream }: RandomRun): void {
  // The end of the full 64-bit range does not fit into 64 bits: then distances from `low`, or plain words, are drawn.
  const wide = distribution === 'integers' && output.dtype.itemsize === 8;
  const plain = wide && span === 0n;
  const shifted = wide && !plain && low + span === (type === 'int64' ? 1n << 63n : 1n << 64n);
  const drawn = plain ? 'bits' : distribution;
  const element = ELEMENT_TYPES.indexOf(shifted || plain ? 'uint64' : type);
  const parameters = parametersOf(drawn, shifted ? 0n : low, shifted ? span : low + span);
  const layout = Float64Array.of(output.size, output.offset);
  const storages = [output.storage.native] as const;
  const work = (): void =>
    native().compute.random(stream.native, drawn, element, seed, position, parameters, layout, storages);
  submit(stream, work, [output], []);
  if (!shifted || low === 0n) return;
  const sum = Expression.operation('add', type, Expression.input(0, type), Expression.value(low, type));
  const built = buildProgram([type], [sum]);
  elementwise({ built, shape: output.shape, outputs: [output], inputs: [output], stream });
}

export const hostBackend: Backend = {
  elementwise,
  reduce,
  cumulate,
  matmul,
  take,
  random,
  transpose: () => false
};
