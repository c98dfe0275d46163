/** Device code: compiled from CUDA C++, or loaded from PTX, a cubin or a fat binary. */

import { readFileSync } from 'node:fs';
import { basename } from 'node:path';

import { NDArray } from '../array.ts';
import { toDevice, type Device, type DeviceLike } from '../device.ts';
import type { DType, DTypeLike, DTypeName, NameOf } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { ArgumentError, DeviceError, ShapeError } from '../errors.ts';
import { formatShape, sizeOf, toShape, type ShapeLike } from '../layout/shape.ts';
import { rowMajorStrides } from '../layout/strides.ts';
import { Storage } from '../memory/storage.ts';
import type { NativeModule } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { Stream } from '../stream.ts';
import { textOf } from '../value-text.ts';
import { KernelFunction } from './kernel-function.ts';
import { compileCode, compileCodeAsync, type CompileRequest } from './nvrtc.ts';
import { parseSignatures, type KernelParameter } from './signature.ts';

export interface CompileOptions {
  /** For which the code is compiled; the default device if left out. */
  readonly device?: DeviceLike;
  /** Options of NVRTC, such as `--use_fast_math`. */
  readonly options?: readonly string[];
  /** Kernels by C++ names, such as `scale<float>`: needed for templates and functions in namespaces. */
  readonly names?: readonly string[];
  /** File name in messages. Default `kernel.cu`. */
  readonly name?: string;
}

/** Code and its kernels. One object serves every device that can run the code; each loads it at the first use there. */
export class CudaModule {
  /** The device it was compiled or loaded for. */
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

  /** For the library's own use: call `cuda.compile` or `cuda.load`. */
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

  /** A kernel by its name, or by one of the `names` it was compiled with. @throws ArgumentError where there is none */
  function(name: string): KernelFunction {
    const known = this.#functions.get(name);
    if (known !== undefined) return known;
    const lowered = this.#lowered.get(name) ?? name;
    const bare = /(\w+)\s*(?:<|$)/.exec(name)?.[1] ?? name;
    const signature = this.#signatures.get(bare);
    const sizes = signature?.map(parameter =>
      parameter.role === 'pointer' ? 8 : (parameter.type?.bytes ?? 0)
    );
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
   * A `__device__` or `__constant__` variable as an array over its memory, which is the module's own and ends with `unload`.
   * @throws ArgumentError where there is none, ShapeError where the variable is smaller
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
    if (sizeOf(extent) * type.itemsize > bytes) {
      throw new ShapeError(
        `${name} has ${bytes} bytes, which do not hold ${type.name} ${formatShape(extent)}`
      );
    }
    const nothing = { kind: 'device', owner: this, pending: null, producer: null, releasing: null } as const;
    const storage = Storage.foreign({ device, pointer, bytes, ...nothing });
    const view = { shape: extent, strides: rowMajorStrides(extent, type.itemsize), offset: 0 };
    return new NDArray(storage, type, view, Stream.legacyDefault(device));
  }

  /** Waits for the devices and lets go of the code; its kernels and graphs that hold them can no longer be launched. */
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
    if (this.#unloaded) throw new ArgumentError('the module was unloaded');
    requireGpu(device);
    const loaded = native().loadModule(device.native, this.#image);
    this.#loaded.set(device, loaded);
    return loaded;
  }

  #hint(bare: string): string {
    if (this.#signatures.has(bare)) {
      return `: the source has it, under a C++ name; declare it extern "C", or compile with names: ['${bare}']`;
    }
    const known = [...this.#signatures.keys()];
    return known.length === 0 ? '' : `; the source has: ${known.join(', ')}`;
  }
}

/** @throws DeviceError on the simulated device */
function requireGpu(device: Device): void {
  if (device.kind !== 'simulated') return;
  throw new DeviceError(
    `${device.toString()} runs no CUDA kernels: they need a GPU. Array operations and fuse() work on both; ` +
      'to learn launching without a GPU, see the guide'
  );
}

function requestOf(source: string, device: Device, options: CompileOptions): CompileRequest {
  if (typeof source !== 'string')
    throw new ArgumentError(`cuda.compile: ${textOf(source)} is no CUDA C++ source`);
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
  const lowered = new Map(
    request.expressions.map((name, index) => [name, compiled.lowered[index] as string])
  );
  return new CudaModule(device, compiled.code, parseSignatures(request.source), lowered, compiled.log);
}

/**
 * Compiles CUDA C++ for a device by NVRTC; what was compiled before comes from the disk (`STRIDELAB_CACHE_DIR`).
 * @throws CompileError with the compiler's messages placed in the cell, DriverUnavailableError without NVRTC, DeviceError on the
 * simulated device
 * @example cuda.compile('extern "C" __global__ void twice(float* x) { x[threadIdx.x] *= 2; }').function('twice')
 */
export function compile(source: string, options: CompileOptions = {}): CudaModule {
  const device = toDevice(options.device);
  const request = requestOf(source, device, options);
  return moduleOf(request, device, compileCode(request));
}

/** The same on another thread. */
export async function compileAsync(source: string, options: CompileOptions = {}): Promise<CudaModule> {
  const device = toDevice(options.device);
  const request = requestOf(source, device, options);
  return moduleOf(request, device, await compileCodeAsync(request));
}

export interface LoadOptions {
  readonly device?: DeviceLike;
  /** Source with the signatures of the kernels, by which launches are checked; without it only sizes are. */
  readonly signatures?: string;
}

/**
 * Loads PTX, a cubin or a fat binary: bytes, PTX text, or the path of a file. @throws DriverError with the driver's log for code
 * that it refuses, DeviceError on the simulated device
 */
export function load(code: Uint8Array | string, options: LoadOptions = {}): CudaModule {
  const device = toDevice(options.device);
  requireGpu(device);
  const text = typeof code === 'string';
  const isPtx = text && /^\s*(?:\/\/|\.version)/m.test(code);
  const image = !text ? code : isPtx ? Buffer.from(code) : readCode(code);
  return new CudaModule(device, image, parseSignatures(options.signatures ?? ''), new Map());
}

function readCode(path: string): Uint8Array {
  try {
    return readFileSync(path);
  } catch (cause) {
    throw new ArgumentError(`cuda.load: ${basename(path)} cannot be read: ${(cause as Error).message}`);
  }
}
