/** A kernel compiled for one combination of argument types, on the devices where it was launched. */

import { NDArray } from '../../array/array.ts';
import { headline } from '../../array/headline.ts';
import { ArgumentError, DeviceError } from '../../base/errors.ts';
import type { Device } from '../../core/device.ts';
import type { Stream } from '../../core/stream.ts';
import { submit } from '../../memory/submission.ts';
import type { Storage } from '../../memory/storage.ts';
import { LAUNCH_WORD } from '../../native/words.ts';
import { writeLaunch, type LaunchShape } from '../../jit/launch-shape.ts';
import type { Lowered } from '../language/lower.ts';
import { argumentSlots } from '../program/parameters.ts';
import type { ArrayParameter, Parameter } from '../program/program.ts';
import { ELEMENTS } from '../program/types.ts';
import { TypedValue } from '../../jit/typed-value.ts';
import { isContiguous, isWideArray, typedValueType, writeScalar } from './arguments.ts';
import { isDebugged, runDebugged } from './kernel-debugger.ts';
import { prepareOnGpu, type PreparedOnGpu } from './gpu.ts';
import type { Prepared } from './prepared.ts';
import { prepareSimulated, type PreparedSimulated } from './simulated.ts';

export interface CompileSettings {
  /** Whether products and sums may be contracted to fused multiply-adds on a GPU. */
  readonly contract: boolean;
}

/** A parameter and where it comes from and goes to. */
interface Plan {
  readonly parameter: Parameter;
  readonly path: readonly (string | number)[];
  /** Index of its first slot. */
  readonly first: number;
  /** True for a number whose type the argument gives. */
  readonly open: boolean;
  /** Arrays that are known to fit, because what is asked of an array never changes. */
  readonly fitting: WeakSet<NDArray>;
}

/** The memory that a launch uses. */
interface Operands {
  readonly storages: readonly Storage[];
  readonly writes: readonly NDArray[];
  readonly reads: readonly NDArray[];
}

export class Specialization {
  readonly lowered: Lowered;
  readonly settings: CompileSettings;
  readonly #prepared = new Map<Device, PreparedOnGpu | PreparedSimulated>();
  readonly #plans: readonly Plan[];
  readonly #name: string;
  #latest: { readonly device: Device; readonly prepared: PreparedOnGpu | PreparedSimulated } | undefined;

  constructor(lowered: Lowered, settings: CompileSettings) {
    this.lowered = lowered;
    this.settings = settings;
    this.#name = lowered.program.name;
    const { parameters } = lowered.program;
    const slots = argumentSlots(parameters);
    this.#plans = parameters.map((parameter, index) => {
      const first = slots.findIndex(slot => slot.parameter === index);
      const open = lowered.open.has(index);
      return { parameter, path: lowered.paths[index]!, first, open, fitting: new WeakSet<NDArray>() };
    });
  }

  /** Returns true if the arguments have the types of this program, and captured values are what they were. */
  fits(values: readonly unknown[]): boolean {
    for (let index = 0; index < this.#plans.length; index++) {
      const plan = this.#plans[index]!;
      if (!fits(plan, valueAt(values, plan.path))) return false;
    }
    const { captures } = this.lowered;
    for (let index = 0; index < captures.length; index++) {
      const { read, value } = captures[index]!;
      if (!Object.is(read(), value)) return false;
    }
    return true;
  }

  /** Returns the program on a device, compiled at the first call. */
  on(device: Device): PreparedOnGpu | PreparedSimulated {
    if (this.#latest?.device === device) return this.#latest.prepared;
    const prepare = device.kind === 'simulated' ? prepareSimulated : prepareOnGpu;
    const prepared = this.#prepared.get(device) ?? prepare(this.lowered.program, device, this.settings);
    this.#prepared.set(device, prepared);
    this.#latest = { device, prepared };
    return prepared;
  }

  /** Submits a launch. The arguments fit. */
  launch(stream: Stream, shape: LaunchShape, values: readonly unknown[]): void {
    if (isDebugged(stream) && this.debug(stream, shape, values, false)) return;
    const prepared = this.on(stream.device);
    const { storages, writes, reads } = this.prepare(prepared, stream, shape, values);
    submit(stream, () => prepared.launch(stream, storages), writes, reads);
  }

  /** Lets the debugger run a launch or check if it has a breakpoint, and returns whether it did. @throws what a launch throws */
  debug(stream: Stream, shape: LaunchShape, values: readonly unknown[], isCheck: boolean): boolean {
    this.prepare(this.on(stream.device), stream, shape, values);
    return runDebugged({ lowered: this.lowered, stream, shape, values, isCheck });
  }

  /** Writes the shape and the arguments of a launch, and returns the memory that it uses. */
  prepare(
    { config, values: bytes, addresses, offsets, passesEmpty }: Prepared,
    stream: Stream,
    shape: LaunchShape,
    values: readonly unknown[]
  ): Operands {
    writeLaunch(config, shape);
    config[LAUNCH_WORD.cooperative] = this.lowered.program.cooperative ? 1 : 0;
    const storages: Storage[] = [];
    const writes: NDArray[] = [];
    const reads: NDArray[] = [];
    for (let index = 0; index < this.#plans.length; index++) {
      const { parameter, path, first } = this.#plans[index]!;
      const value = valueAt(values, path);
      if (parameter.kind === 'scalar') {
        writeScalar(bytes, offsets[first]!, parameter.type, value, () => this.#where(parameter));
        continue;
      }
      const array = value as NDArray;
      const { storage } = array;
      if (storage.device !== stream.device) this.#requireReachable(array, stream, parameter);
      if (parameter.wide) this.#requireCountable(array, index);
      if (this.lowered.vectors.has(index)) this.#requireDense(array, parameter);
      addresses[offsets[first]! >> 3] = array.pointer;
      writeLayout(bytes, offsets, first + 1, parameter, array);
      if (array.size === 0 && !passesEmpty) continue; // no byte of it can be used
      config[LAUNCH_WORD.access + storages.length] = parameter.readOnly ? 0 : 1;
      storages.push(storage);
      (parameter.readOnly ? reads : writes).push(array);
    }
    return { storages, writes, reads };
  }

  #where(parameter: Parameter): string {
    return `${this.#name}: argument ${parameter.name}`;
  }

  /** Fails if a loop would count with 32 bits up to a length that needs more. */
  #requireCountable(array: NDArray, index: number): void {
    const long = this.lowered.counted.find(
      ({ parameter, axis }) => parameter === index && array.shape[axis]! >= 2 ** 31
    );
    if (long !== undefined)
      throw new ArgumentError(
        `${this.#where(this.#plans[index]!.parameter)} (${headline(array)}): a loop counts axis ${long.axis} with 32 bits, which end at ${2 ** 31 - 1}; pass array.reshape(…) with shorter axes, or count with i64`
      );
  }

  /** Fails unless the elements of the last axis lie one behind the other. */
  #requireDense(array: NDArray, parameter: ArrayParameter): void {
    const dense = array.strides.at(-1) === array.dtype.itemsize || array.shape.at(-1)! <= 1;
    if (!dense && array.size > 0)
      throw new ArgumentError(
        `${this.#where(parameter)} (${headline(array)}): the kernel accesses several elements at once, so the last axis must have no gaps; pass array.copy()`
      );
  }

  #requireReachable(array: NDArray, stream: Stream, parameter: Parameter): void {
    const shared = array.storage.kind !== 'device' && array.device.kind === stream.device.kind;
    if (shared) return; // every GPU can access pinned and managed memory
    throw new DeviceError(
      `${this.#where(parameter)} is on ${array.device.toString()}, but the launch on ${stream.device.toString()}`
    );
  }
}

/** Returns the value of a parameter: an argument, or a field of one. */
export function valueAt(values: readonly unknown[], path: readonly (string | number)[]): unknown {
  let value = values[path[0] as number];
  for (let depth = 1; depth < path.length; depth++)
    value = (value as Record<string, unknown> | null | undefined)?.[path[depth]!];
  return value;
}

function fits({ parameter, fitting, open }: Plan, value: unknown): boolean {
  if (parameter.kind === 'scalar') {
    if (open && value instanceof TypedValue) return typedValueType(value, '') === parameter.type;
    return !(value instanceof NDArray) && value !== undefined && value !== null;
  }
  if (!(value instanceof NDArray)) return false;
  if (fitting.has(value as NDArray)) return true;
  const known = fitsArray(parameter, value as NDArray);
  if (known) fitting.add(value as NDArray);
  return known;
}

function fitsArray(parameter: ArrayParameter, array: NDArray): boolean {
  return (
    array.dtype.name === ELEMENTS[parameter.element].dtype &&
    array.shape.length === parameter.rank &&
    isContiguous(array) === parameter.contiguous &&
    isWideArray(array) === parameter.wide &&
    (parameter.readOnly || !array.readOnly) &&
    array.mask === null &&
    array.isAligned
  );
}

/** Writes the lengths of an array, and unless it is contiguous its strides in elements, from an argument slot. */
function writeLayout(
  bytes: DataView,
  offsets: readonly number[],
  slot: number,
  { rank, wide, contiguous }: ArrayParameter,
  { shape, strides, dtype }: NDArray
): void {
  for (let axis = 0; axis < rank; axis++) writeLength(bytes, offsets[slot + axis]!, shape[axis]!, wide);
  if (contiguous) return;
  for (let axis = 0; axis < rank; axis++)
    writeLength(bytes, offsets[slot + rank + axis]!, strides[axis]! / dtype.itemsize, wide);
}

function writeLength(values: DataView, offset: number, length: number, wide: boolean): void {
  values.setInt32(offset, length | 0, true);
  if (wide) values.setInt32(offset + 4, Math.floor(length / 2 ** 32), true);
}
