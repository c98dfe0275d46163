/** Programs, layouts and arrays for the tests of array operations. */

import { dtypes } from '../../../src/dtype/dtype.ts';
import { readScalar, writeScalar } from '../../../src/dtype/elements.ts';
import { hostArrayOver, type Complex } from '../../../src/dtype/host-array.ts';
import type { NativeStorage, NativeStream } from '../../../src/native/binding.ts';
import type { NativeProgram } from '../../../src/native/compute-binding.ts';
import { ELEMENT_TYPES, type ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { OPCODES, type Opcode } from '../../../src/compute/program/instructions.ts';
import { block, native, stream } from '../support.ts';
import { computeOf } from './calls.ts';

export const compute = computeOf(native);

export type Value = boolean | number | bigint | Complex;

export const typeNumber = (name: ElementTypeName): number => ELEMENT_TYPES.indexOf(name);
export const opcodeNumber = (name: Opcode): number => OPCODES.indexOf(name);
export const itemsize = (name: ElementTypeName): number => dtypes[name].itemsize;

let shared: NativeStream | undefined;
/** The single stream of these tests. */
export const on = (): NativeStream => (shared ??= stream());

/** The elements as they are stored. */
export function encode(type: ElementTypeName, values: readonly Value[]): Uint8Array<ArrayBuffer> {
  const dtype = dtypes[type];
  const buffer = new ArrayBuffer(values.length * dtype.itemsize);
  const host = hostArrayOver(dtype, buffer);
  values.forEach((value, index) => writeScalar(host, dtype, index, value));
  return new Uint8Array(buffer);
}

export function decode(type: ElementTypeName, bytes: Uint8Array<ArrayBuffer>): Value[] {
  const dtype = dtypes[type];
  const host = hostArrayOver(dtype, bytes.buffer);
  return Array.from(
    { length: bytes.byteLength / dtype.itemsize },
    (_, index) => readScalar(host, dtype, index) as Value
  );
}

export function put(bytes: Uint8Array, at = 0): NativeStorage {
  const storage = block(bytes.byteLength + at);
  storage.writeFromHost(at, bytes, on());
  return storage;
}

export function get(storage: NativeStorage, type: ElementTypeName, count: number, at = 0): Value[] {
  const bytes = new Uint8Array(count * itemsize(type));
  storage.readToHost(at, bytes, on());
  return decode(type, bytes);
}

export type Step = readonly [opcode: Opcode, result: ElementTypeName, ...operands: number[]];

/** Constants are elements of their type; outputs name registers. */
export function program(
  inputs: readonly ElementTypeName[],
  steps: readonly Step[],
  outputs: readonly (readonly [register: number, type: ElementTypeName])[],
  constants: readonly (readonly [ElementTypeName, Value])[] = []
): NativeProgram {
  const words = [
    ...[inputs.length, outputs.length, constants.length, steps.length],
    ...inputs.map(typeNumber),
    ...constants.map(([type]) => typeNumber(type)),
    ...steps.flatMap(([opcode, result, a = -1, b = -1, c = -1]) => [
      opcodeNumber(opcode),
      typeNumber(result),
      a,
      b,
      c
    ]),
    ...outputs.flatMap(([register, type]) => [register, typeNumber(type)])
  ];
  const bytes = new Uint8Array(16 * constants.length);
  constants.forEach(([type, value], index) => bytes.set(encode(type, [value]), 16 * index));
  return native.compute.makeProgram(Int32Array.from(words), bytes);
}

/** Byte strides of an array without gaps. */
export function plain(shape: readonly number[], size: number): number[] {
  const strides: number[] = [];
  let stride = size;
  for (const length of shape.toReversed()) {
    strides.unshift(stride);
    stride *= length;
  }
  return strides;
}

/** One instruction over arrays of one dimension. */
export function run(
  opcode: Opcode,
  result: ElementTypeName,
  ...operands: readonly (readonly [type: ElementTypeName, values: readonly Value[]])[]
): Value[] {
  const count = operands[0]?.[1].length ?? 0;
  const code = program(
    operands.map(([type]) => type),
    [[opcode, result, ...operands.keys()]],
    [[operands.length, result]]
  );
  const out = block(count * itemsize(result));
  const storages = [out, ...operands.map(([type, values]) => put(encode(type, values)))];
  const views = [result, ...operands.map(([type]) => type)].flatMap(type => [0, itemsize(type)]);
  compute.elementwise(on(), code, Float64Array.of(1, count, ...views), storages);
  const values = get(out, result, count);
  for (const storage of storages) storage.release();
  return values;
}
