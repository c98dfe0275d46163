/** Runs elementwise programs on arrays: in host code on a simulated device, as generated CUDA C++ on a GPU. */

import type { NDArray } from '../array.ts';
import { dtypes } from '../dtype/dtype.ts';
import type { Scalar } from '../dtype/host-array.ts';
import { broadcastView } from '../layout/slice.ts';
import { sizeOf, type Shape } from '../layout/shape.ts';
import type { NativeProgram } from '../native/binding.ts';
import { submitNoted } from '../memory/submission.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../stream.ts';
import {
  BLOCK,
  elementsPerBlock,
  emitElementwise,
  isStrided,
  valueSizes,
  variantFor,
  variantKey,
  type ElementwiseVariant
} from './cuda/elementwise.ts';
import { generatedKernel, type GeneratedKernel, type LaunchOperand } from './cuda/generated-kernel.ts';
import { programWords, registerType, valueBytes, type Program } from './program.ts';
import { simplify, type Place, type Space } from './space.ts';

/** Arrays that a program reads and writes; inputs broadcast to the outputs' shape. */
export interface Run {
  readonly program: Program;
  readonly values: readonly Scalar[];
  readonly shape: Shape;
  readonly outputs: readonly NDArray[];
  readonly inputs: readonly NDArray[];
  readonly stream: Stream;
}

function placeOf(array: NDArray, shape: Shape): Place {
  const { strides } = array.shape === shape ? array : broadcastView(array.shape, array.strides, shape);
  return { offset: array.offset, strides };
}

/** Host programs by key; those with values are parsed again when the values change. */
const hostPrograms = new Map<string, { readonly bytes: Uint8Array; readonly native: NativeProgram }>();
const MOST_PROGRAMS = 512;

function hostProgram(program: Program, values: readonly Scalar[]): NativeProgram {
  const bytes = valueBytes(program.values, values);
  const known = hostPrograms.get(program.key);
  if (known !== undefined && known.bytes.every((byte, index) => byte === bytes[index])) return known.native;
  const made = native().compute.makeProgram(programWords(program), bytes);
  if (hostPrograms.size >= MOST_PROGRAMS) hostPrograms.clear();
  hostPrograms.set(program.key, { bytes, native: made });
  return made;
}

/** Numbers as native layouts have them. */
export function layoutOf(...parts: readonly (number | readonly number[])[]): Float64Array {
  return Float64Array.from(parts.flat());
}

function runOnHost({ program, values, stream, outputs, inputs }: Run, { shape, places }: Space): void {
  const arrays = [...outputs, ...inputs];
  const layout = layoutOf(shape.length, shape, ...places.flatMap(({ offset, strides }) => [offset, strides]));
  const storages = arrays.map(({ storage }) => storage.native);
  const submit = (): void =>
    native().compute.elementwise(stream.native, hostProgram(program, values), layout, storages);
  submitNoted(submit, () => {
    const { sequence } = stream.native;
    for (const [which, { storage }] of arrays.entries()) {
      storage.noteUse(stream, which < outputs.length ? 'write' : 'read', sequence);
    }
  });
}

function kernelFor(
  program: Program,
  variant: ElementwiseVariant,
  stream: Stream,
  operands: number
): GeneratedKernel {
  return generatedKernel(stream.device, `elementwise/${variantKey(variant)}/${program.key}`, () => {
    const word = variant.wide ? 8 : 4;
    const dims = isStrided(variant) ? [word * variant.rank * (1 + operands)] : [];
    const pointers = Array.from({ length: operands }, () => 8);
    return {
      source: emitElementwise(program, variant),
      name: 'elementwise',
      sizes: [...pointers, ...valueSizes(program), word, ...dims]
    };
  });
}

function runOnGpu({ program, values, stream, outputs, inputs }: Run, full: Space): void {
  const space = simplify(full);
  const arrays = [...outputs, ...inputs];
  const types = [...program.outputs.map(register => registerType(program, register)), ...program.inputs];
  const addresses = arrays.map(
    ({ storage }, which) => storage.pointer + BigInt((space.places[which] as Place).offset)
  );
  const variant = variantFor(
    space,
    types.map(type => dtypes[type].itemsize),
    addresses
  );
  const kernel = kernelFor(program, variant, stream, arrays.length);
  const setIndex = (parameter: number, value: number, at = 0): void =>
    variant.wide ? kernel.setInt64(parameter, value, at) : kernel.setInt32(parameter, value, at);
  for (const [which, address] of addresses.entries()) kernel.setPointer(which, address);
  const bytes = valueBytes(program.values, values);
  for (const [index, size] of valueSizes(program).entries()) {
    kernel.setBytes(arrays.length + index, bytes.subarray(16 * index, 16 * index + size));
  }
  const count = sizeOf(space.shape);
  const afterValues = arrays.length + program.values.length;
  setIndex(afterValues, count);
  if (isStrided(variant)) {
    const word = variant.wide ? 8 : 4;
    for (const [axis, length] of space.shape.entries()) setIndex(afterValues + 1, length, axis * word);
    for (const [which, { strides }] of space.places.entries()) {
      for (const [axis, stride] of strides.entries()) {
        setIndex(afterValues + 1, stride, word * ((1 + which) * variant.rank + axis));
      }
    }
  }
  const operands = arrays.map(({ storage }, which): LaunchOperand => ({
    storage,
    access: which < outputs.length ? 'write' : 'read'
  }));
  const blocks = Math.ceil(count / elementsPerBlock(variant));
  kernel.launch(stream, { grid: [blocks, 1, 1], block: BLOCK }, operands);
}

/** Submits the program for every element; the arrays are on the stream's device. */
export function runProgram(run: Run): void {
  if (sizeOf(run.shape) === 0) return;
  const space = {
    shape: run.shape,
    places: [...run.outputs, ...run.inputs].map(array => placeOf(array, run.shape))
  };
  if (run.stream.device.simulated) runOnHost(run, space);
  else runOnGpu(run, space);
}
