/** The backend of simulated devices: host code in the native core. */

import type { Shape } from '../layout/shape.ts';
import { submit } from '../memory/submission.ts';
import type { NativeCompute, NativeProgram } from '../native/compute-binding.ts';
import { KeyedObject } from '../native/keyed-object.ts';
import { native } from '../native/load.ts';
import { buildProgram, Expression, type BuiltProgram } from './program/expression.ts';
import { ELEMENT_TYPES } from './program/element-types.ts';
import { programWords, valueBytes } from './program/program.ts';
import type {
  Backend,
  CumulationRun,
  Elements,
  ElementwiseRun,
  MatmulRun,
  Operand,
  RandomRun,
  ReductionRun,
  SpacedRun,
  TakeRun
} from './program/runs.ts';
import { stridesIn, type Place } from './program/space.ts';

let loaded: NativeCompute | undefined;

/** The addon's functions, looked up once: they are called too often to read two properties each time. */
function compute(): NativeCompute {
  return (loaded ??= native().compute);
}

/** The latest native program of each key, so that an expression rebuilt with equal values is not compiled again. */
const latest = new Map<string, { readonly bytes: Uint8Array; readonly made: KeyedObject<NativeProgram> }>();
const MOST_PROGRAMS = 512;

function makeHostProgram({ program, values }: BuiltProgram): KeyedObject<NativeProgram> {
  const bytes = valueBytes(program.values, values);
  const known = latest.get(program.key);
  if (known?.bytes.every((byte, index) => byte === bytes[index]) === true) return known.made;
  const made = new KeyedObject(compute().makeProgram(programWords(program), bytes));
  if (latest.size >= MOST_PROGRAMS) latest.clear();
  latest.set(program.key, { bytes, made });
  return made;
}

let words: Float64Array | undefined;
let count = 0;

/** Begins the words of an operation: the keys of its storages. The addon reads the words before its call returns. */
function begin(outputs: readonly Elements[], inputs: readonly Elements[]): void {
  words ??= compute().words();
  count = 0;
  for (let which = 0; which < outputs.length; which++) words[count++] = outputs[which]!.storage.key;
  for (let which = 0; which < inputs.length; which++) words[count++] = inputs[which]!.storage.key;
}

function putNumber(value: number): void {
  words![count++] = value;
}

function put(values: readonly number[]): void {
  for (let index = 0; index < values.length; index++) words![count++] = values[index]!;
}

/** Puts a shape preceded by its rank. */
function putShape(shape: readonly number[]): void {
  putNumber(shape.length);
  put(shape);
}

function putPlace({ offset, strides }: Place): void {
  putNumber(offset);
  put(strides);
}

/** Puts the places of operands that are broadcast to a shape. */
function putBroadcast(operands: readonly Elements[], shape: Shape): void {
  for (let which = 0; which < operands.length; which++) {
    const operand = operands[which]!;
    putNumber(operand.offset);
    put(stridesIn(operand, shape));
  }
}

const typeNumbers = new Map<string, number>(ELEMENT_TYPES.map((name, index) => [name, index]));
const typeNumber = ({ dtype }: Operand): number => typeNumbers.get(dtype.name) ?? -1;

function elementwise({ built, shape, outputs, inputs, stream }: ElementwiseRun): void {
  const program = (built.host ??= makeHostProgram(built)).key;
  begin(outputs, inputs);
  putShape(shape);
  putBroadcast(outputs, shape);
  putBroadcast(inputs, shape);
  const work = (): number => compute().elementwise(stream.key, program, count);
  submit(stream, work, outputs, inputs);
}

function reduce(run: ReductionRun): void {
  const { name, input, output, stream, split } = run;
  begin([output], [input]);
  putShape(split.keptShape);
  putShape(split.reducedShape);
  putNumber(output.offset);
  put(run.outStrides);
  putNumber(input.offset);
  put(split.keptStrides);
  put(split.reducedStrides);
  const work = (): number => compute().reduce(stream.key, name, typeNumber(input), typeNumber(output), count);
  submit(stream, work, [output], [input]);
}

function cumulate({ name, input, output, stream, axis }: CumulationRun): void {
  begin([output], [input]);
  putShape(input.shape);
  putNumber(axis);
  putPlace(output);
  putPlace(input);
  const work = (): number =>
    compute().cumulate(stream.key, name, typeNumber(input), typeNumber(output), count);
  submit(stream, work, [output], [input]);
}

function matmul({ batch, m, n, k, output, a, b, strides, stream }: MatmulRun): void {
  begin([output], [a, b]);
  putShape(batch);
  for (const length of [m, n, k]) putNumber(length);
  putPlace({ offset: output.offset, strides: strides.output });
  putPlace({ offset: a.offset, strides: strides.a });
  putPlace({ offset: b.offset, strides: strides.b });
  const work = (): number => compute().matmul(stream.key, typeNumber(output), count);
  submit(stream, work, [output], [a, b]);
}

function take({ input, positions, output, axis, stream }: TakeRun): void {
  const WRAP = 1;
  begin([output], [input, positions]);
  putShape(output.shape);
  for (const number of [axis, input.shape[axis]!, WRAP]) putNumber(number);
  putPlace(output);
  putPlace(input);
  putPlace(positions);
  const { itemsize } = input.dtype;
  const work = (): number => compute().take(stream.key, itemsize, typeNumber(positions), count);
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
  begin([output], []);
  putNumber(output.size);
  putNumber(output.offset);
  const work = (): number => compute().random(stream.key, drawn, element, seed, position, parameters, count);
  submit(stream, work, [output], []);
  if (!shifted || low === 0n) return;
  const sum = Expression.operation('add', type, Expression.input(0, type), Expression.value(low, type));
  const built = buildProgram([type], [sum]);
  elementwise({ built, shape: output.shape, outputs: [output], inputs: [output], stream });
}

/** Fewer numbers are copied from the host, as on a GPU: the tutorials show that copy. */
const FEW_SPACED = 4096;

function spaced({ output, type, size, first, step, stream }: SpacedRun): boolean {
  if (size < FEW_SPACED) return false;
  begin([output], []);
  putNumber(size);
  putNumber(output.offset);
  const number = typeNumbers.get(type)!;
  const work = (): number => compute().spaced(stream.key, number, first, step, count);
  submit(stream, work, [output], []);
  return true;
}

export const hostBackend: Backend = {
  elementwise,
  reduce,
  cumulate,
  matmul,
  take,
  random,
  spaced,
  transpose: () => false
};
