/** Runs elementwise programs on arrays: in host code on a simulated device, as generated CUDA C++ on a GPU. */

import { dtypes } from '../dtype/dtype.ts';
import { broadcastView } from '../layout/slice.ts';
import { sizeOf, type Shape } from '../layout/shape.ts';
import type { Strides } from '../layout/strides.ts';
import type { Storage } from '../memory/storage.ts';
import { submit } from '../memory/submission.ts';
import type { NativeStorage } from '../native/binding.ts';
import type { NativeProgram } from '../native/compute-binding.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../core/stream.ts';
import { requireAligned } from './cuda/alignment.ts';
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
import { generatedKernel, type GeneratedKernel } from './cuda/generated-kernel.ts';
import type { BuiltProgram } from './program/expression.ts';
import type { ElementTypeName } from './program/element-types.ts';
import { programWords, registerType, valueBytes, type Program } from './program/program.ts';
import { equalShapes, simplify, type Place, type Space } from './program/space.ts';

/** Strided elements in a block of memory: an array, or a part of one. */
export interface RunOperand {
  readonly storage: Storage;
  /** Bytes to the first element. */
  readonly offset: number;
  readonly shape: Shape;
  /** Bytes. */
  readonly strides: Strides;
}

/** Arrays that a program reads and writes; inputs broadcast to the outputs' shape. */
export interface Run {
  readonly built: BuiltProgram;
  readonly shape: Shape;
  readonly outputs: readonly RunOperand[];
  readonly inputs: readonly RunOperand[];
  readonly stream: Stream;
}

function placeOf(array: RunOperand, shape: Shape): Place {
  const { strides } = equalShapes(array.shape, shape)
    ? array
    : broadcastView(array.shape, array.strides, shape);
  return { offset: array.offset, strides };
}

/** The latest host program of each key, for expressions that are built anew at each use with the same values. */
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

/** By length. Native code reads a layout before it returns, and takes longer to look into a new typed array than to read it. */
const layouts: (Float64Array | undefined)[] = [];

/** Numbers as native layouts have them, valid until the next call. */
export function layoutOf(...parts: readonly (number | readonly number[])[]): Float64Array {
  let length = 0;
  for (const part of parts) length += typeof part === 'number' ? 1 : part.length;
  const layout = (layouts[length] ??= new Float64Array(length));
  let at = 0;
  for (const part of parts) {
    if (typeof part === 'number') layout[at++] = part;
    else for (let index = 0; index < part.length; index++) layout[at++] = part[index] as number;
  }
  return layout;
}

function elementwiseLayout(shape: Shape, places: readonly Place[]): Float64Array {
  const length = 1 + shape.length + places.length * (1 + shape.length);
  const layout = (layouts[length] ??= new Float64Array(length));
  let at = 0;
  layout[at++] = shape.length;
  for (let axis = 0; axis < shape.length; axis++) layout[at++] = shape[axis] as number;
  for (let which = 0; which < places.length; which++) {
    const { offset, strides } = places[which] as Place;
    layout[at++] = offset;
    for (let axis = 0; axis < strides.length; axis++) layout[at++] = strides[axis] as number;
  }
  return layout;
}

function runOnHost({ built, stream, outputs, inputs }: Run, { shape, places }: Space): void {
  const storages: NativeStorage[] = [];
  for (let which = 0; which < outputs.length; which++)
    storages.push((outputs[which] as RunOperand).storage.native);
  for (let which = 0; which < inputs.length; which++)
    storages.push((inputs[which] as RunOperand).storage.native);
  const layout = elementwiseLayout(shape, places);
  const work = (): void =>
    native().compute.elementwise(stream.native, (built.host ??= makeHostProgram(built)), layout, storages);
  submit(stream, work, outputs, inputs);
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

function runOnGpu({ built, stream, outputs, inputs }: Run, full: Space): void {
  const { program, values } = built;
  const space = simplify(full);
  const arrays = [...outputs, ...inputs];
  const types = [...program.outputs.map(register => registerType(program, register)), ...program.inputs];
  for (const [which, array] of arrays.entries()) requireAligned(array, types[which] as ElementTypeName);
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
  const blocks = Math.ceil(count / elementsPerBlock(variant));
  kernel.launch(stream, { grid: [blocks, 1, 1], block: BLOCK }, outputs, inputs);
}

/** Submits the program for every element; the arrays are on the stream's device. */
export function runProgram(run: Run): void {
  if (sizeOf(run.shape) === 0) return;
  const places: Place[] = [];
  for (let which = 0; which < run.outputs.length; which++)
    places.push(placeOf(run.outputs[which] as RunOperand, run.shape));
  for (let which = 0; which < run.inputs.length; which++)
    places.push(placeOf(run.inputs[which] as RunOperand, run.shape));
  const space = { shape: run.shape, places };
  if (run.stream.device.simulated) runOnHost(run, space);
  else runOnGpu(run, space);
}
