/** Runs programs on the simulated device of the native core. */

import type { ElementTypeName } from '../../../../src/compute/program/element-types.ts';
import { encodeProgram } from '../../../../src/kernels/machine/encode.ts';
import { argumentSlots } from '../../../../src/kernels/program/parameters.ts';
import type { Program } from '../../../../src/kernels/program/program.ts';
import { deviceTable, ELEMENTS, type ValueType } from '../../../../src/kernels/program/types.ts';
import type { NativeStorage } from '../../../../src/native/binding.ts';
import type { NativeKernelCheck, NativeKernelFault } from '../../../../src/native/kernels-binding.ts';
import { decode, encode, type Value } from '../../../native/compute/support.ts';
import { block, native, stream } from '../../../native/support.ts';

/** Elements of an array argument; the view of them is contiguous and of rank 1 unless it is given, in elements. */
export interface ArrayArgument {
  readonly values: readonly Value[];
  readonly shape?: readonly number[];
  readonly strides?: readonly number[];
  readonly offset?: number;
  /** Memory of another argument. */
  readonly same?: number;
}
export type Given = readonly Value[] | ArrayArgument | Value;
export interface Shape {
  readonly grid?: number | readonly number[];
  readonly block?: number | readonly number[];
  readonly shared?: number;
}

export const on = stream();

const isArray = (given: Given): given is readonly Value[] | ArrayArgument =>
  typeof given === 'object' && (Array.isArray(given) || 'values' in given);
const asArgument = (given: readonly Value[] | ArrayArgument): ArrayArgument =>
  Array.isArray(given) ? { values: given as readonly Value[] } : (given as ArrayArgument);
const three = (extents: number | readonly number[] = 1): readonly number[] => {
  const list = typeof extents === 'number' ? [extents] : extents;
  return [list[0] ?? 1, list[1] ?? 1, list[2] ?? 1];
};
const words = (shape: Shape): Int32Array =>
  Int32Array.from([...three(shape.grid), ...three(shape.block), shape.shared ?? 0]);

function put(type: ElementTypeName, values: readonly Value[]): NativeStorage {
  const storage = block(Math.max(values.length, 1) * ELEMENTS_BY_DTYPE[type].bytes);
  if (values.length > 0) storage.writeFromHost(0, encode(type, values), on);
  return storage;
}
const ELEMENTS_BY_DTYPE = Object.fromEntries(Object.values(ELEMENTS).map(row => [row.dtype, row])) as Record<
  string,
  { readonly bytes: number }
> as Record<ElementTypeName, { readonly bytes: number }>;

type Write = (view: DataView, at: number, value: Value) => void;
const WRITE = deviceTable<ValueType, Write>({
  bool: (view, at, value) => view.setUint8(at, Number(value)),
  i32: (view, at, value) => view.setInt32(at, Number(value), true),
  u32: (view, at, value) => view.setUint32(at, Number(value), true),
  f32: (view, at, value) => view.setFloat32(at, Number(value), true),
  i64: (view, at, value) => view.setBigInt64(at, BigInt(value as number), true),
  u64: (view, at, value) => view.setBigUint64(at, BigInt(value as number), true),
  f64: (view, at, value) => view.setFloat64(at, Number(value), true)
});

function prepare(program: Program, given: readonly Given[]) {
  const storages = new Map<number, NativeStorage>();
  program.parameters.forEach((parameter, index) => {
    const value = given[index] as Given;
    if (parameter.kind !== 'array' || !isArray(value)) return;
    const { same, values } = asArgument(value);
    const dtype = ELEMENTS[parameter.element].dtype as ElementTypeName;
    storages.set(index, same === undefined ? put(dtype, values) : (storages.get(same) as NativeStorage));
  });
  const view = new DataView(new ArrayBuffer(1024));
  let end = 0;
  for (const slot of argumentSlots(program.parameters)) {
    const parameter = program.parameters[slot.parameter];
    const value = given[slot.parameter] as Given;
    const at = Math.ceil(end / slot.bytes) * slot.bytes;
    end = at + slot.bytes;
    if (slot.role === 'scalar' || parameter?.kind !== 'array') {
      WRITE[slot.type ?? 'i32'](view, at, value as Value);
      continue;
    }
    const { values, shape = [values.length], strides = [], offset = 0 } = asArgument(value as ArrayArgument);
    const { bytes } = ELEMENTS[parameter.element];
    const pointer = (storages.get(slot.parameter) as NativeStorage).pointer + BigInt(offset * bytes);
    if (slot.role === 'pointer') view.setBigUint64(at, pointer, true);
    else WRITE[slot.type ?? 'i32'](view, at, (slot.role === 'extent' ? shape : strides)[slot.axis] as number);
  }
  const { words: code, constants } = encodeProgram(program);
  return {
    program: native.kernels.makeProgram(code, constants),
    bytes: new Uint8Array(view.buffer, 0, end),
    storages
  };
}

/** Submits a launch; returns a function that reads the array parameters. */
export function launch(program: Program, shape: Shape, ...given: readonly Given[]): () => Value[][] {
  const { program: made, bytes, storages } = prepare(program, given);
  native.kernels.launch(on, made, words(shape), bytes, [...storages.values()]);
  return () =>
    [...storages].map(([index, storage]) => {
      const parameter = program.parameters[index];
      const { values } = asArgument(given[index] as ArrayArgument);
      if (parameter?.kind !== 'array') return [];
      const memory = new Uint8Array(values.length * ELEMENTS[parameter.element].bytes);
      if (values.length > 0) storage.readToHost(0, memory, on);
      return decode(ELEMENTS[parameter.element].dtype as ElementTypeName, memory);
    });
}

/** Takes the fault that waits. */
export function fault(): NativeKernelFault | null {
  on.synchronize();
  const taken = native.kernels.takeFault();
  return taken === null ? null : (JSON.parse(taken) as NativeKernelFault);
}

/** Runs a program; returns the elements of its array parameters. Throws if the kernel has a fault. */
export function run(program: Program, shape: Shape, ...given: readonly Given[]): Value[][] {
  const arrays = launch(program, shape, ...given)();
  const found = fault();
  if (found !== null) throw new Error(JSON.stringify(found));
  return arrays;
}

/** Runs a program with all checks. */
export const check = (program: Program, shape: Shape, ...given: readonly Given[]): NativeKernelCheck =>
  checkAndRecord({ recordBlocks: 0, recordWords: 0 }, program, shape, ...given);

export function checkAndRecord(
  options: { readonly recordBlocks: number; readonly recordWords: number },
  program: Program,
  shape: Shape,
  ...given: readonly Given[]
): NativeKernelCheck {
  const { program: made, bytes, storages } = prepare(program, given);
  on.synchronize();
  return JSON.parse(
    native.kernels.check(made, words(shape), bytes, [...storages.values()], options)
  ) as NativeKernelCheck;
}
