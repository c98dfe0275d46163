/** Kernels that the library writes itself: compiled once for each kind of device, launched without the checks of user code. */

import type { Device } from '../../core/device.ts';
import { compileCode } from '../../compiler/nvrtc.ts';
import { submit, type Used } from '../../memory/submission.ts';
import type { NativeKernel } from '../../native/compiler-binding.ts';
import { native } from '../../native/load.ts';
import { LAUNCH_WORD } from '../../native/words.ts';
import type { Stream } from '../../core/stream.ts';

export interface LaunchShape {
  readonly grid: readonly [x: number, y: number, z: number];
  readonly block: number;
  readonly sharedBytes?: number;
}

/** Rounds the results of a multiplication and an addition each, as the simulated device and NumPy do. */
const OPTIONS = ['--fmad=false'];

export class GeneratedKernel {
  readonly #native: NativeKernel;
  readonly #config: Uint32Array;
  readonly #values: DataView;
  readonly #bytes: Uint8Array;
  readonly #offsets: readonly number[];

  private constructor(nativeKernel: NativeKernel) {
    this.#native = nativeKernel;
    this.#config = nativeKernel.config;
    this.#values = new DataView(nativeKernel.values);
    this.#bytes = new Uint8Array(nativeKernel.values);
    this.#offsets = nativeKernel.parameters.map(({ offset }) => offset);
  }

  /** `sizes` are the bytes of the parameters. @throws DriverUnavailableError without NVRTC */
  static compile(device: Device, source: string, name: string, sizes: readonly number[]): GeneratedKernel {
    const { code } = compileCode({
      source,
      name: `${name}.cu`,
      capability: device.computeCapability,
      options: OPTIONS,
      expressions: []
    });
    return new GeneratedKernel(native().loadModule(device.native, code).kernel(name, sizes));
  }

  setPointer(parameter: number, value: bigint): void {
    this.#values.setBigUint64(this.#offsets[parameter] as number, value, true);
  }

  setInt32(parameter: number, value: number, at = 0): void {
    this.#values.setInt32((this.#offsets[parameter] as number) + at, value, true);
  }

  /** A whole number up to 2^53 in magnitude. */
  setInt64(parameter: number, value: number, at = 0): void {
    const offset = (this.#offsets[parameter] as number) + at;
    this.#values.setInt32(offset, value | 0, true);
    this.#values.setInt32(offset + 4, Math.floor(value / 2 ** 32), true);
  }

  setBytes(parameter: number, bytes: Uint8Array): void {
    this.#bytes.set(bytes, this.#offsets[parameter]);
  }

  launch(
    stream: Stream,
    { grid, block, sharedBytes = 0 }: LaunchShape,
    writes: readonly Used[],
    reads: readonly Used[]
  ): void {
    const config = this.#config;
    config.set(grid, LAUNCH_WORD.grid);
    config[LAUNCH_WORD.block] = block;
    config[LAUNCH_WORD.block + 1] = 1;
    config[LAUNCH_WORD.block + 2] = 1;
    config[LAUNCH_WORD.sharedBytes] = sharedBytes;
    config[LAUNCH_WORD.cooperative] = 0;
    const storages = [...writes, ...reads].map(({ storage }, index) => {
      config[LAUNCH_WORD.access + index] = index < writes.length ? 1 : 0;
      return storage.native;
    });
    submit(stream, () => this.#native.launch(stream.native, ...storages), writes, reads);
  }
}

const kernels = new WeakMap<Device, Map<string, GeneratedKernel>>();

/** The kernel of a key on a device; `emit` is called where it is new. */
export function generatedKernel(
  device: Device,
  key: string,
  emit: () => { readonly source: string; readonly name: string; readonly sizes: readonly number[] }
): GeneratedKernel {
  let known = kernels.get(device);
  if (known === undefined) {
    known = new Map<string, GeneratedKernel>();
    kernels.set(device, known);
  }
  let kernel = known.get(key);
  if (kernel === undefined) {
    const { source, name, sizes } = emit();
    kernel = GeneratedKernel.compile(device, source, name, sizes);
    known.set(key, kernel);
  }
  return kernel;
}
