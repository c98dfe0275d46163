/** Device code: compiled from CUDA C++, or loaded from PTX, a cubin or a fat binary. */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { NDArray } from '../array/array.ts';
import { toDevice, type Device, type DeviceLike } from '../core/device.ts';
import type { DType, DTypeLike, DTypeName, NameOf } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { ArgumentError, DeviceError, DriverError, FreedError, ShapeError } from '../base/errors.ts';
import { formatShape, sizeOf, toShape, type ShapeLike } from '../layout/shape.ts';
import { rowMajorStrides } from '../layout/strides.ts';
import { NVRTC } from '../core/search.ts';
import { Storage } from '../memory/storage.ts';
import type { NativeModule } from '../native/compiler-binding.ts';
import { native } from '../native/load.ts';
import { Stream } from '../core/stream.ts';
import { textOf } from '../base/value-text.ts';
import { KernelFunction } from './kernel-function.ts';
import { compileCode, compileCodeAsync, nvrtc, type CompileRequest } from '../compiler/nvrtc.ts';
import { parseSignatures, type KernelParameter } from './signature.ts';

/** Options of `cuda.compile`. */
export interface CompileOptions {
  /** The device to compile for; the default device if left out. */
  readonly device?: DeviceLike;
  /** Options for NVRTC, such as `--use_fast_math`. */
  readonly options?: readonly string[];
  /** C++ names of kernels, such as `scale<float>`; required for templates and functions in namespaces. */
  readonly names?: readonly string[];
  /** The file name in compiler messages. Default `kernel.cu`. */
  readonly name?: string;
}

/** Compiled CUDA code with its kernels, for every device that can run it; its first use on a device loads it there. */
export class CudaModule {
  /** The device that the code was compiled or loaded for. */
  readonly device: Device;
  /** The compiler's warnings; empty for code that was loaded. */
  readonly log: string;
  readonly #image: Uint8Array;
  readonly #signatures: ReadonlyMap<string, readonly KernelParameter[]>;
  /** Lowered names by C++ names. */
  readonly #lowered: ReadonlyMap<string, string>;
  readonly #loaded = new Map<Device, NativeModule>();
  readonly #functions = new Map<string, KernelFunction>();
  #unloaded = false;

  /** Internal: use `cuda.compile` or `cuda.load`. */
  constructor(
    device: Device,
    image: Uint8Array,
    signatures: ReadonlyMap<string, readonly KernelParameter[]>,
    lowered: ReadonlyMap<string, string>,
    log = ''
  ) {
    this.device = device;
    this.log = log;
    this.#image = image;
    this.#signatures = signatures;
    this.#lowered = lowered;
    this.#on(device);
  }

  /** Returns a kernel by its name, or by one of the `names` that it was compiled with. @throws ArgumentError if there is none */
  function(name: string): KernelFunction {
    const known = this.#functions.get(name);
    if (known !== undefined) return known;
    const lowered = this.#lowered.get(name) ?? name;
    const bare = /(\w+)\s*(?:<|$)/.exec(name)?.[1] ?? name;
    const signature = this.#signatures.get(bare);
    const sizes = sizesOf(signature);
    const load = (device: Device) => this.#on(device).kernel(lowered, sizes);
    try {
      load(this.device);
    } catch (error) {
      if (!(error instanceof ArgumentError)) throw error;
      throw new ArgumentError(`${error.message}${this.#hint(bare)}`);
    }
    const made = new KernelFunction(name, this.device, signature, load);
    this.#functions.set(name, made);
    return made;
  }

  /**
   * Returns a `__device__` or `__constant__` variable as an array over its memory, which the module frees at `unload`. Launches do not name
   * the variables that their kernels use, so only work on the array's own stream is ordered with it: use the array on the stream of the
   * launches, or make one stream wait for the other.
   * @throws ArgumentError if there is none, ShapeError if the variable is smaller
   */
  global<L extends DTypeLike = DTypeName>(
    name: string,
    shape: ShapeLike,
    dtype: L,
    device: Device = this.device
  ): NDArray<NameOf<L>> {
    const { pointer, bytes } = this.#on(device).global(this.#lowered.get(name) ?? name);
    const type = toDType(dtype) as DType<NameOf<L>>;
    const extent = toShape(shape);
    if (sizeOf(extent) * type.itemsize > bytes)
      throw new ShapeError(`${name} has ${bytes} bytes, too few for ${type.name} ${formatShape(extent)}`);
    const nothing = {
      kind: 'device',
      owner: this,
      pending: null,
      producer: null,
      releasing: null,
      released: null
    } as const;
    const storage = Storage.foreign({ device, pointer, bytes, ...nothing });
    const view = { shape: extent, strides: rowMajorStrides(extent, type.itemsize), offset: 0 };
    return new NDArray(storage, type, view, Stream.legacyDefault(device));
  }

  /** Waits for the devices and unloads the code. Its kernels, and graphs that contain them, cannot be launched any more. */
  unload(): void {
    this.#unloaded = true;
    for (const module of this.#loaded.values()) module.unload();
  }

  [Symbol.dispose](): void {
    this.unload();
  }

  #on(device: Device): NativeModule {
    const known = this.#loaded.get(device);
    if (known !== undefined) return known;
    if (this.#unloaded) throw new FreedError('the module was unloaded');
    requireGpu(device);
    const loaded = native().loadModule(device.native, this.#image);
    this.#loaded.set(device, loaded);
    return loaded;
  }

  #hint(bare: string): string {
    if (this.#signatures.has(bare))
      return `: the source declares it with a C++ name; declare it extern "C", or list its C++ name (for a template, with arguments) in names and request it by that name`;
    const known = [...this.#signatures.keys()];
    return known.length === 0 ? '' : `; the source has: ${known.join(', ')}`;
  }
}

/** Bytes of each parameter, for drivers that do not report them; undefined if a type is unknown. */
function sizesOf(parameters: readonly KernelParameter[] | undefined): number[] | undefined {
  const sizes: number[] = [];
  for (const parameter of parameters ?? []) {
    const bytes = parameter.role === 'pointer' ? 8 : parameter.type?.bytes;
    if (bytes === undefined) return undefined;
    sizes.push(bytes);
  }
  return parameters === undefined ? undefined : sizes;
}

/** Requires a GPU. @throws DeviceError on the simulated device */
function requireGpu(device: Device): void {
  if (device.kind !== 'simulated') return;
  throw new DeviceError(
    `${device.toString()} cannot run CUDA kernels, which need a GPU. Array operations and kernels in TypeScript work on both; ` +
      "'No GPU' in docs/cuda.md lists what else runs without one"
  );
}

function requireTexts(value: unknown, what: string): void {
  if (value === undefined || (Array.isArray(value) && value.every(each => typeof each === 'string'))) return;
  throw new ArgumentError(`cuda.compile: ${what} is ${textOf(value)}, expected a list of strings`);
}

function requestOf(source: string, device: Device, options: CompileOptions): CompileRequest {
  if (typeof source !== 'string')
    throw new ArgumentError(`cuda.compile: expected CUDA C++ source as a string, not ${textOf(source)}`);
  requireTexts(options.options, 'options');
  requireTexts(options.names, 'names');
  requireGpu(device);
  return {
    source,
    name: options.name ?? 'kernel.cu',
    capability: device.computeCapability,
    options: options.options ?? [],
    expressions: options.names ?? []
  };
}

function moduleOf(
  request: CompileRequest,
  device: Device,
  compiled: Awaited<ReturnType<typeof compileCodeAsync>>
): CudaModule {
  const lowered = new Map(request.expressions.map((name, index) => [name, compiled.lowered[index]!]));
  try {
    return new CudaModule(device, compiled.code, parseSignatures(request.source), lowered, compiled.log);
  } catch (error) {
    if (error instanceof DriverError && CODE_REFUSED.has(error.status)) throw explainRefusal(error, device);
    throw error;
  }
}

/** CUDA_ERROR_INVALID_IMAGE, NO_BINARY_FOR_GPU, INVALID_PTX and UNSUPPORTED_PTX_VERSION. */
const CODE_REFUSED: ReadonlySet<number> = new Set([200, 209, 218, 222]);

/** Explains why compiled code is rejected: the compiler is newer than the driver. */
function explainRefusal(error: DriverError, device: Device): DriverError {
  const { path, major, minor } = nvrtc();
  const { driverVersion } = device.native;
  const driver = `${Math.floor(driverVersion / 1000)}.${Math.floor((driverVersion % 1000) / 10)}`;
  return new DriverError(
    `${error.message}\nIt was compiled by NVRTC ${major}.${minor} (${path}), the driver is of CUDA ${driver}: if the compiler is newer, ` +
      `update the driver, or set ${NVRTC.variable} to the file of an older compiler`,
    error.call,
    error.status,
    error.statusName,
    { cause: error }
  );
}

/**
 * Compiles CUDA C++ for a device with NVRTC, or reads an earlier result from the disk cache (`STRIDELAB_CACHE_DIR`).
 * @throws CompileError with the compiler's messages placed in the cell, DriverUnavailableError without NVRTC, DeviceError on the
 * simulated device
 * @example cuda.compile('extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }').function('twice')
 */
export function compile(source: string, options: CompileOptions = {}): CudaModule {
  const device = toDevice(options.device);
  const request = requestOf(source, device, options);
  return moduleOf(request, device, compileCode(request));
}

/** Compiles CUDA C++ on another thread. @throws CompileError, DriverUnavailableError, DeviceError on the simulated device */
export async function compileAsync(source: string, options: CompileOptions = {}): Promise<CudaModule> {
  const device = toDevice(options.device);
  const request = requestOf(source, device, options);
  return moduleOf(request, device, await compileCodeAsync(request));
}

/** Options of `cuda.load`. */
export interface LoadOptions {
  /** The device to load for; the default device if left out. */
  readonly device?: DeviceLike;
  /** CUDA C++ source with the signatures of the kernels, against which launches are checked; without it only sizes are checked. */
  readonly signatures?: string;
}

/** Loads PTX, a cubin or a fat binary: bytes, PTX text, or a path. @throws DriverError with the driver's log, DeviceError without a GPU */
export function load(code: Uint8Array | string, options: LoadOptions = {}): CudaModule {
  const device = toDevice(options.device);
  requireGpu(device);
  const image = typeof code === 'string' ? readCode(code) : code;
  if (!(image instanceof Uint8Array))
    throw new ArgumentError(`cuda.load: expected bytes, PTX or a path, not ${textOf(code)}`);
  return new CudaModule(device, image, parseSignatures(options.signatures ?? ''), new Map());
}

function readCode(textOrPath: string): Uint8Array {
  if (/^\s*\.version\s/m.test(textOrPath)) return Buffer.from(textOrPath); // as PTX must begin
  try {
    return readFileSync(textOrPath);
  } catch (cause) {
    throw new ArgumentError(
      `cuda.load: ${basename(textOrPath)} cannot be read: ${(cause as Error).message}; PTX text must begin with .version`
    );
  }
}
