/** Kernels: launches, and the resources that they need. */

import { NDArray } from '../array/array.ts';
import type { Device } from '../core/device.ts';
import { ArgumentError, DeviceError, HazardError } from '../base/errors.ts';
import { asCudaArray } from '../interchange/cai/import.ts';
import { CAI_SYMBOL } from '../protocols/cai.ts';
import type { NativeKernel } from '../native/compiler-binding.ts';
import { keyed } from '../native/keyed.ts';
import type { NativeKey } from '../native/keyed-binding.ts';
import { LAUNCH_WORD } from '../native/words.ts';
import { Stream } from '../core/stream.ts';
import { textOf } from '../base/value-text.ts';
import { ParameterSlot, type LaunchArgument } from './arguments.ts';
import { writeLaunch, type LaunchShape } from './launch-shape.ts';
import type { KernelParameter } from './signature.ts';

/** Options of `KernelFunction.launch`. */
export interface LaunchOptions extends LaunchShape {
  /** Launches cooperatively: all blocks are resident at once and may synchronize. Default false. */
  readonly cooperative?: boolean | undefined;
  /** Accepts arrays that are not row-major; the kernel must know their strides. Default false. */
  readonly strided?: boolean | undefined;
}

/** The resources that a kernel needs, as the driver reports them. */
export interface KernelAttributes {
  /** The largest block that the kernel can be launched with. */
  readonly maxThreadsPerBlock: number;
  /** Bytes of static shared memory. */
  readonly sharedBytes: number;
  /** Bytes of constant memory. */
  readonly constantBytes: number;
  /** Bytes of local memory per thread, for spilled registers and arrays. */
  readonly localBytes: number;
  /** Registers per thread. */
  readonly registers: number;
  /** Ten times the PTX version, as the driver reports it. */
  readonly ptxVersion: number;
  /** Ten times the compute capability of the binary, as the driver reports it. */
  readonly binaryVersion: number;
}

/** How well a block size uses a multiprocessor. */
export interface Occupancy {
  /** The number of blocks resident on a multiprocessor at once. */
  readonly blocksPerMultiprocessor: number;
  /** The number of threads resident on a multiprocessor at once. */
  readonly activeThreads: number;
}

/** Returns true if parameters read from source match this code, not another function of that name. */
function fitsCode(declared: readonly KernelParameter[], native: NativeKernel): boolean {
  if (declared.length !== native.parameters.length) return false;
  return native.parameters.every(({ bytes }, index) => {
    const parameter = declared[index]!;
    if (parameter.role === 'pointer') return bytes === 8;
    return parameter.type === null || parameter.type.bytes === bytes;
  });
}

/** A kernel on one device. */
class LoadedKernel {
  readonly native: NativeKernel;
  readonly key: NativeKey<NativeKernel>;
  readonly config: Uint32Array;
  readonly operands: Uint32Array;
  readonly values: DataView;
  readonly addresses: BigUint64Array;
  readonly slots: readonly ParameterSlot[];
  /** Slots of arrays, written ones first: the order in which uses are noted. */
  readonly noted: readonly ParameterSlot[];

  constructor(name: string, native: NativeKernel, declared: readonly KernelParameter[] | undefined) {
    this.native = native;
    this.key = native.key;
    this.config = native.config;
    this.operands = native.operands;
    this.values = new DataView(native.values);
    this.addresses = new BigUint64Array(native.values, 0, native.values.byteLength >> 3);
    const fits = declared !== undefined && fitsCode(declared, native) ? declared : undefined;
    this.slots = native.parameters.map(
      ({ offset, bytes }, index) => new ParameterSlot(name, index, offset, bytes, fits?.[index])
    );
    const arrays = this.slots.filter(({ takesArray }) => takesArray);
    this.noted = [...arrays.filter(({ writes }) => writes), ...arrays.filter(({ writes }) => !writes)];
  }
}

export type KernelLoader = (device: Device) => NativeKernel;

/** A kernel of a module, from `CudaModule.function`. Its first launch on a device loads it there. */
export class KernelFunction {
  /** The kernel's name, as it was requested. */
  readonly name: string;
  /** The parameters, as the source declares them; undefined for code without source. */
  readonly parameters: readonly KernelParameter[] | undefined;
  readonly #load: KernelLoader;
  readonly #device: Device;
  readonly #loaded = new Map<Device, LoadedKernel>();
  #latest: { readonly device: Device; readonly kernel: LoadedKernel } | undefined;

  constructor(
    name: string,
    device: Device,
    parameters: readonly KernelParameter[] | undefined,
    load: KernelLoader
  ) {
    this.name = name;
    this.parameters = parameters;
    this.#device = device;
    this.#load = load;
  }

  /**
   * Submits the kernel to a stream without waiting for it. It runs after the last writers of the arrays that it reads and all users of
   * those that it may write, and before their later uses. Arrays for `const` pointers are read, all others are written. Objects with
   * `__cuda_array_interface__` are accepted as arrays.
   * @throws ArgumentError for a wrong number or kind of arguments, DTypeError for an array of another type than the parameter's,
   * ReadOnlyError, DeviceError for an array of another device, DriverError for a shape of launch that the device cannot run
   */
  launch(options: LaunchOptions, ...values: readonly (LaunchArgument | object)[]): void {
    if (typeof options !== 'object' || options === null)
      throw new ArgumentError(`${this.name}.launch: expected {grid, block} first, not ${textOf(options)}`);
    const stream = options.stream ?? streamOf(values) ?? Stream.legacyDefault(this.#device);
    if (!(stream instanceof Stream))
      throw new ArgumentError(`${this.name}.launch: stream is ${textOf(stream)}, expected a Stream`);
    const kernel = this.#on(stream.device);
    const { slots, config, addresses, operands } = kernel;
    if (values.length !== slots.length)
      throw new ArgumentError(
        `${this.name}: expected ${slots.length} arguments, not ${values.length}${this.#list()}`
      );
    const strided = options.strided ?? false;
    writeLaunch(config, options);
    config[LAUNCH_WORD.cooperative] = options.cooperative === true ? 1 : 0;
    let used = 0;
    for (let index = 0; index < slots.length; index++) {
      const slot = slots[index]!;
      const value = values[index] as LaunchArgument;
      if (!(value instanceof NDArray)) {
        if (isForeignArray(value, slot)) return this.#launchImported(options, stream, values, slots);
        slot.write(kernel.values, value);
        continue;
      }
      const { storage } = value;
      if (storage.device !== stream.device) this.#requireReachable(value, stream, slot);
      addresses[slot.offset >> 3] = slot.pointerOf(value, strided);
      if (value.size === 0) continue; // no byte of it can be used
      config[LAUNCH_WORD.access + used] = slot.writes ? 1 : 0;
      operands[used++] = storage.key;
    }
    // As `submit` does, without its closures and lists.
    let sequence: number;
    try {
      sequence = keyed().launch(kernel.key, stream.key, used);
    } catch (error) {
      if (error instanceof HazardError) noteUses(stream, stream.native.sequence, kernel.noted, values);
      throw error;
    }
    noteUses(stream, sequence, kernel.noted, values);
  }

  /** Imports external arrays and launches again from the start: importing runs external code, which may launch this kernel too. */
  #launchImported(
    options: LaunchOptions,
    stream: Stream,
    values: readonly (LaunchArgument | object)[],
    slots: readonly ParameterSlot[]
  ): void {
    const imports: NDArray[] = [];
    try {
      const own = values.map((value, index) => {
        if (!isForeignArray(value, slots[index]!)) return value;
        const imported = asCudaArray(value, { stream });
        imports.push(imported);
        return imported;
      });
      this.launch({ ...options, stream }, ...own);
    } finally {
      for (const imported of imports) imported.dispose();
    }
  }

  /** Returns the resources that the kernel needs on a device, as the driver reports them. */
  attributes(device: Device = this.#device): KernelAttributes {
    return this.#on(device).native.attributes();
  }

  /** Returns how many blocks of `block` threads fit on a multiprocessor at once. */
  occupancy(block: number, sharedBytes = 0, device: Device = this.#device): Occupancy {
    const blocks = this.#on(device).native.blocksPerMultiprocessor(block, sharedBytes);
    return { blocksPerMultiprocessor: blocks, activeThreads: blocks * block };
  }

  /** Returns the block size with the most resident threads, and the smallest grid that then fills the device. */
  suggestBlock(options: { sharedBytes?: number; limit?: number; device?: Device } = {}): {
    readonly block: number;
    readonly leastGrid: number;
  } {
    const { sharedBytes = 0, limit = 0, device = this.#device } = options;
    return this.#on(device).native.suggestBlock(sharedBytes, limit);
  }

  /** Returns the declaration of the kernel. */
  toString(): string {
    const list = this.parameters?.map(({ text }) => text).join(', ') ?? '…';
    return `__global__ void ${this.name}(${list})`;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString();
  }

  #on(device: Device): LoadedKernel {
    if (this.#latest?.device === device) return this.#latest.kernel;
    const kernel =
      this.#loaded.get(device) ?? new LoadedKernel(this.name, this.#load(device), this.parameters);
    this.#loaded.set(device, kernel);
    this.#latest = { device, kernel };
    return kernel;
  }

  #list(): string {
    return this.parameters === undefined ? '' : `: (${this.parameters.map(({ text }) => text).join(', ')})`;
  }

  #requireReachable(array: NDArray, stream: Stream, slot: ParameterSlot): void {
    const shared = array.storage.kind !== 'device' && array.device.kind === stream.device.kind;
    if (shared) return; // every GPU can access pinned and managed memory
    throw new DeviceError(
      `${slot.where()}: the array is on ${array.device.toString()}, but the launch on ${stream.device.toString()}`
    );
  }
}

function noteUses(
  stream: Stream,
  sequence: number,
  slots: readonly ParameterSlot[],
  values: readonly unknown[]
): void {
  for (let at = 0; at < slots.length; at++) {
    const { index, writes } = slots[at]!;
    const value = values[index];
    if (value instanceof NDArray && value.size > 0)
      value.storage.noteUse(stream, writes ? 'write' : 'read', sequence);
  }
}

function streamOf(values: readonly unknown[]): Stream | undefined {
  for (const value of values) if (value instanceof NDArray) return value.stream;
  return undefined;
}

function isForeignArray(value: unknown, slot: ParameterSlot): value is object {
  if (typeof value !== 'object' || value === null || value instanceof NDArray || !slot.takesArray)
    return false;
  return '__cuda_array_interface__' in value || CAI_SYMBOL in value;
}
