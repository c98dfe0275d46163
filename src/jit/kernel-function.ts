/** Kernels: launching them, and what they need of a device. */

import { NDArray } from '../array.ts';
import type { Device } from '../device.ts';
import { ArgumentError, DeviceError, HazardError } from '../errors.ts';
import { asCudaArray } from '../interchange/cai/import.ts';
import { CAI_SYMBOL } from '../interchange/cai/protocol.ts';
import type { Storage } from '../memory/storage.ts';
import type { NativeKernel, NativeStorage } from '../native/binding.ts';
import { Stream } from '../stream.ts';
import { textOf } from '../value-text.ts';
import { ParameterSlot, type LaunchArgument } from './arguments.ts';
import type { KernelParameter } from './signature.ts';

/** Blocks of a grid or threads of a block, by up to three axes. */
export type Extent = number | readonly [x: number, y?: number, z?: number];

export interface LaunchOptions {
  /** Blocks. */
  readonly grid: Extent;
  /** Threads of each. */
  readonly block: Extent;
  /** Where it runs: the first array's stream if left out, else the legacy default stream. */
  readonly stream?: Stream | undefined;
  /** Bytes of dynamic shared memory. */
  readonly sharedBytes?: number | undefined;
  /** All blocks are resident at once and may wait for one another. Default false. */
  readonly cooperative?: boolean | undefined;
  /** Takes arrays that are not row-major; the kernel has to know their strides. Default false. */
  readonly strided?: boolean | undefined;
}

/** What the driver says of a kernel's needs. */
export interface KernelAttributes {
  readonly maxThreadsPerBlock: number;
  /** Bytes of shared memory that it declares. */
  readonly sharedBytes: number;
  readonly constantBytes: number;
  /** Bytes of local memory a thread: spilled registers, arrays. */
  readonly localBytes: number;
  readonly registers: number;
  /** Ten times the version, as the driver counts. */
  readonly ptxVersion: number;
  readonly binaryVersion: number;
}

export interface Occupancy {
  readonly blocksPerMultiprocessor: number;
  /** Threads resident on a multiprocessor, of those that it can hold. */
  readonly activeThreads: number;
}

/** Words of NativeKernel.config. */
const GRID = 0;
const BLOCK = 3;
const SHARED = 6;
const COOPERATIVE = 7;
const ACCESS = 8;

function writeExtent(config: Uint32Array, at: number, extent: Extent, what: string): void {
  if (typeof extent === 'number') {
    config[at] = extent;
    config[at + 1] = 1;
    config[at + 2] = 1;
  } else {
    config[at] = extent[0];
    config[at + 1] = extent[1] ?? 1;
    config[at + 2] = extent[2] ?? 1;
  }
  // What was stored differs from what was given where it is no whole number above 0.
  const given = typeof extent === 'number' ? [extent, 1, 1] : [extent[0], extent[1] ?? 1, extent[2] ?? 1];
  for (let axis = 0; axis < 3; axis++) {
    if (config[at + axis] !== given[axis] || given[axis] === 0) {
      throw new ArgumentError(
        `${what} ${textOf(given[axis])} on axis ${'xyz'[axis] as string}: expected whole numbers from 1`
      );
    }
  }
}

/** A kernel on one device. */
class LoadedKernel {
  readonly native: NativeKernel;
  readonly config: Uint32Array;
  readonly values: DataView;
  readonly addresses: BigUint64Array;
  readonly slots: readonly ParameterSlot[];

  constructor(name: string, native: NativeKernel, declared: readonly KernelParameter[] | undefined) {
    this.native = native;
    this.config = native.config;
    this.values = new DataView(native.values);
    this.addresses = new BigUint64Array(native.values, 0, native.values.byteLength >> 3);
    // A list that does not fit the code is that of another function of the same name.
    const fits = declared?.length === native.parameters.length ? declared : undefined;
    this.slots = native.parameters.map(
      ({ offset, bytes }, index) => new ParameterSlot(name, index, offset, bytes, fits?.[index])
    );
  }
}

export type KernelLoader = (device: Device) => NativeKernel;

/** Made by `CudaModule.function`. Loaded on a device by its first launch there. */
export class KernelFunction {
  readonly name: string;
  /** What the source says of its parameters; undefined for code without source. */
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
   * Submits the kernel to a stream, after the last writers of the arrays it reads and all users of those it may write (an array
   * for a `const` pointer is read, any other is written), and before whatever uses them next. Does not wait for it.
   * Objects with `__cuda_array_interface__` are taken as arrays.
   * @throws ArgumentError for a wrong number or kind of arguments, DTypeError for an array of another type than the parameter's,
   * ReadOnlyError, DeviceError for an array of another device, DriverError for a shape of launch that the device cannot run
   */
  launch(options: LaunchOptions, ...values: readonly (LaunchArgument | object)[]): void {
    const stream = options.stream ?? streamOf(values) ?? Stream.legacyDefault(this.#device);
    const kernel = this.#on(stream.device);
    const { slots, config, addresses } = kernel;
    if (values.length !== slots.length) {
      throw new ArgumentError(
        `${this.name} takes ${slots.length} arguments, not ${values.length}${this.#list()}`
      );
    }
    const strided = options.strided ?? false;
    writeExtent(config, GRID, options.grid, 'grid');
    writeExtent(config, BLOCK, options.block, 'block');
    config[SHARED] = options.sharedBytes ?? 0;
    config[COOPERATIVE] = options.cooperative === true ? 1 : 0;
    const storages: Storage[] = [];
    const natives: NativeStorage[] = [];
    const imports: NDArray[] = [];
    try {
      for (let index = 0; index < slots.length; index++) {
        const slot = slots[index] as ParameterSlot;
        const value = values[index] as LaunchArgument;
        const array = value instanceof NDArray ? value : importOf(value, slot, stream, imports);
        if (array === undefined) {
          slot.write(kernel.values, value);
          continue;
        }
        if (array.device !== stream.device) this.#requireReachable(array, stream, slot);
        addresses[slot.offset >> 3] = slot.pointerOf(array, strided);
        if (array.size === 0) continue; // no byte of it can be used
        config[ACCESS + storages.length] = slot.writes ? 1 : 0;
        storages.push(array.storage);
        natives.push(array.storage.native);
      }
      let sequence: number;
      try {
        sequence = kernel.native.launch(stream.native, ...natives);
      } catch (error) {
        // What hazard detection throws for was submitted all the same.
        if (error instanceof HazardError) noteUses(stream, storages, config, stream.native.sequence);
        throw error;
      }
      noteUses(stream, storages, config, sequence);
    } finally {
      for (const imported of imports) imported.dispose();
    }
  }

  /** What the driver says of the kernel on a device. */
  attributes(device: Device = this.#device): KernelAttributes {
    return this.#on(device).native.attributes();
  }

  /** How many blocks of `block` threads a multiprocessor holds at once. */
  occupancy(block: number, sharedBytes = 0, device: Device = this.#device): Occupancy {
    const blocks = this.#on(device).native.blocksPerMultiprocessor(block, sharedBytes);
    return { blocksPerMultiprocessor: blocks, activeThreads: blocks * block };
  }

  /** The number of threads a block with which most are resident, and the least number of blocks that then fills the device. */
  suggestBlock(options: { sharedBytes?: number; limit?: number; device?: Device } = {}): {
    readonly block: number;
    readonly leastGrid: number;
  } {
    const { sharedBytes = 0, limit = 0, device = this.#device } = options;
    return this.#on(device).native.suggestBlock(sharedBytes, limit);
  }

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
    if (shared) return; // pinned and managed memory is seen by every GPU
    throw new DeviceError(
      `${slot.where()}: the array is on ${array.device.toString()}, the launch on ${stream.device.toString()}`
    );
  }
}

function noteUses(stream: Stream, storages: readonly Storage[], config: Uint32Array, sequence: number): void {
  for (let index = 0; index < storages.length; index++) {
    (storages[index] as Storage).noteUse(stream, config[ACCESS + index] === 1 ? 'write' : 'read', sequence);
  }
}

function streamOf(values: readonly unknown[]): Stream | undefined {
  for (const value of values) if (value instanceof NDArray) return value.stream;
  return undefined;
}

/** A foreign array as one of ours, for the time of the launch. */
function importOf(
  value: unknown,
  slot: ParameterSlot,
  stream: Stream,
  imports: NDArray[]
): NDArray | undefined {
  if (typeof value !== 'object' || value === null || !slot.takesArray) return undefined;
  if (!('__cuda_array_interface__' in value) && !(CAI_SYMBOL in value)) return undefined;
  const imported = asCudaArray(value, { stream });
  imports.push(imported);
  return imported;
}
