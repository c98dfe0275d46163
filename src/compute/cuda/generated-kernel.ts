/** Kernels that the library generates: compiled once for each kind of device, launched without the checks of user code. */

import type { Device } from '../../core/device.ts';
import { compileCode } from '../../compiler/nvrtc.ts';
import { submitLaunch, type Used } from '../../memory/submission.ts';
import type { NativeKernel } from '../../native/compiler-binding.ts';
import type { NativeKey } from '../../native/keyed-binding.ts';
import { native } from '../../native/load.ts';
import { LAUNCH_WORD } from '../../native/words.ts';
import type { Stream } from '../../core/stream.ts';

/** Integers that are passed as 32 bits each. */
interface Narrow {
  readonly int32: readonly number[];
}

/** An argument: a 64-bit word, an integer up to 2^53 in magnitude (passed as 64 bits), a list of such integers, or raw bytes. */
type Argument = bigint | number | readonly number[] | Narrow | Uint8Array;

/** A kernel and its arguments. */
interface Prepared {
  /** The cache key; equal for kernels with equal source. */
  readonly key: string;
  readonly name: string;
  /** Generates the source; called if the device has no kernel with the key. */
  readonly emit: () => string;
  readonly arguments: readonly Argument[];
}

export interface Launch extends Prepared {
  readonly grid: readonly [x: number, y: number, z: number];
  readonly block: number;
}

/** Disables fused multiply-add, so that products and sums round separately, as on the simulated device and in NumPy. */
const OPTIONS = ['--fmad=false'];

function bytesOf(argument: Argument): number {
  if (typeof argument !== 'object') return 8;
  if (argument instanceof Uint8Array) return argument.byteLength;
  return 'int32' in argument ? 4 * argument.int32.length : 8 * argument.length;
}

/** A kernel on one device, with the values of its next launch. */
export class GeneratedKernel {
  /** The parameters as 32-bit words. */
  readonly words: Uint32Array;
  readonly #addresses: BigUint64Array;
  /** Held because `#key` names it only while it lives. */
  readonly native: NativeKernel;
  readonly #key: NativeKey<NativeKernel>;
  readonly #config: Uint32Array;
  readonly #operands: Uint32Array;
  readonly #values: DataView;
  readonly #bytes: Uint8Array;
  readonly #offsets: readonly number[];

  constructor(device: Device, { name, emit, arguments: values }: Prepared) {
    const { code } = compileCode({
      source: emit(),
      name: `${name}.cu`,
      capability: device.computeCapability,
      options: OPTIONS,
      expressions: []
    });
    this.native = native().loadModule(device.native, code).kernel(name, values.map(bytesOf));
    const kernel = this.native;
    this.#key = kernel.key;
    this.#config = kernel.config;
    this.#operands = kernel.operands;
    this.#addresses = new BigUint64Array(kernel.values, 0, kernel.values.byteLength >> 3);
    this.words = new Uint32Array(kernel.values, 0, kernel.values.byteLength >> 2);
    this.#values = new DataView(kernel.values);
    this.#bytes = new Uint8Array(kernel.values);
    this.#offsets = kernel.parameters.map(({ offset }) => offset);
  }

  set(parameter: number, argument: Argument): void {
    let offset = this.#offsets[parameter]!;
    if (typeof argument === 'bigint') this.#values.setBigUint64(offset, argument, true);
    else if (typeof argument === 'number') this.#setInteger(offset, argument);
    else if (argument instanceof Uint8Array) this.#bytes.set(argument, offset);
    else if ('int32' in argument) {
      for (let index = 0; index < argument.int32.length; index++, offset += 4)
        this.#values.setInt32(offset, argument.int32[index]!, true);
    } else {
      for (let index = 0; index < argument.length; index++, offset += 8)
        this.#setInteger(offset, argument[index]!);
    }
  }

  /** Submits a launch with the arguments that are written. */
  launch(
    stream: Stream,
    grid: Launch['grid'],
    block: number,
    writes: readonly Used[],
    reads: readonly Used[]
  ): void {
    const config = this.#config;
    // Element by element, because TypedArray.set is slow for short arrays.
    for (let axis = 0; axis < 3; axis++) {
      config[LAUNCH_WORD.grid + axis] = grid[axis]!;
      config[LAUNCH_WORD.block + axis] = axis === 0 ? block : 1;
    }
    config[LAUNCH_WORD.sharedBytes] = 0;
    config[LAUNCH_WORD.cooperative] = 0;
    const count = writes.length + reads.length;
    for (let index = 0; index < count; index++) {
      const written = index < writes.length;
      config[LAUNCH_WORD.access + index] = written ? 1 : 0;
      this.#operands[index] = (written ? writes[index] : reads[index - writes.length])!.storage.key;
    }
    submitLaunch(stream, this.#key, writes, reads);
  }

  /** Sets one of the first parameters to an address, without the objects that sums of bigints are. */
  setAddress(parameter: number, pointer: bigint, offset: number): void {
    this.#addresses[parameter] = pointer;
    const low = this.words[2 * parameter]! + offset;
    this.words[2 * parameter] = low;
    this.words[2 * parameter + 1]! += Math.floor(low / 2 ** 32);
  }

  #setInteger(offset: number, value: number): void {
    this.#values.setInt32(offset, value | 0, true);
    this.#values.setInt32(offset + 4, Math.floor(value / 2 ** 32), true);
  }
}

const kernels = new WeakMap<Device, Map<string, GeneratedKernel>>();

/** Returns the kernel on a device, with the arguments written. @throws DriverUnavailableError without NVRTC */
export function kernelWith(device: Device, launch: Prepared): GeneratedKernel {
  let known = kernels.get(device);
  if (known === undefined) kernels.set(device, (known = new Map<string, GeneratedKernel>()));
  let kernel = known.get(launch.key);
  if (kernel === undefined) known.set(launch.key, (kernel = new GeneratedKernel(device, launch)));
  for (let index = 0; index < launch.arguments.length; index++) kernel.set(index, launch.arguments[index]!);
  return kernel;
}

/** Submits a generated kernel. @throws DriverUnavailableError without NVRTC */
export function launchGenerated(
  stream: Stream,
  launch: Launch,
  writes: readonly Used[],
  reads: readonly Used[]
): void {
  kernelWith(stream.device, launch).launch(stream, launch.grid, launch.block, writes, reads);
}
