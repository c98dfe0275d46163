/** Bindings of the addon that compile, load and launch GPU code; see `binding.ts`. */

import type { NativeDevice, NativeStorage, NativeStream } from './binding.ts';
import type { NativeKey } from './keyed-binding.ts';

/** Matrix products with cuBLASLt. Call `open` first. */
export interface NativeCublas {
  /** Opens the first of the files that is cuBLASLt, once. Throws kind `unavailable`. */
  open(files: readonly string[]): { readonly path: string; readonly version: number };
  /**
   * Submits a product. Specification: type, compute type and scale type by cuBLAS's numbers, number of matrices; for each of a, b
   * and d, column-major: rows, columns, column stride and matrix stride in elements, 1 if transposed; then the byte offset of each.
   * Returns false if the library does not support the case; nothing is submitted then.
   */
  matmul(
    stream: NativeStream,
    specification: Float64Array,
    a: NativeStorage,
    b: NativeStorage,
    d: NativeStorage,
    workspace: NativeStorage
  ): boolean;
}

/** PTX, a cubin or a fat binary, loaded on one device. Stays loaded until `unload`, even if this object is collected. */
export interface NativeModule {
  readonly device: NativeDevice;
  /**
   * Returns a kernel by its lowered name. `sizes` are the bytes of its parameters, for drivers before 12.4, which do not report them.
   * Throws kind `argument` if there is none.
   */
  kernel(name: string, sizes?: readonly number[]): NativeKernel;
  /** Returns the memory of a `__device__` or `__constant__` variable. */
  global(name: string): { readonly pointer: bigint; readonly bytes: number };
  /** Waits for the device and unloads the code. Idempotent; the kernels then throw kind `freed`. */
  unload(): void;
}

export interface NativeKernel {
  readonly key: NativeKey<NativeKernel>;
  /**
   * Input of `NativeKeyed.launch`, at the indices of LAUNCH_WORD (words.ts): the shape, 1 for cooperative, and for each operand 1 if it
   * is written.
   */
  readonly config: Uint32Array;
  /** The keys of the storages that a launch uses. */
  readonly operands: Uint32Array;
  /** The values of the parameters, at their offsets. */
  readonly values: ArrayBuffer;
  readonly parameters: readonly { readonly offset: number; readonly bytes: number }[];
  attributes(): {
    readonly maxThreadsPerBlock: number;
    readonly sharedBytes: number;
    readonly constantBytes: number;
    readonly localBytes: number;
    readonly registers: number;
    readonly ptxVersion: number;
    readonly binaryVersion: number;
  };
  blocksPerMultiprocessor(block: number, sharedBytes: number): number;
  /** Suggests a block size; `limit` 0 means no limit. */
  suggestBlock(sharedBytes: number, limit: number): { readonly block: number; readonly leastGrid: number };
}

export interface NvrtcRequest {
  readonly source: string;
  /** The file name in messages. */
  readonly name: string;
  readonly options: readonly string[];
  /** C++ names of kernels whose lowered names are requested. */
  readonly expressions: readonly string[];
  readonly ptx: boolean;
}

export interface NvrtcResult {
  readonly ok: boolean;
  readonly log: string;
  readonly code: Uint8Array;
  readonly lowered: readonly string[];
}

/** The compiler. Call `open` first; `ok` is false for an error in the source. */
export interface NativeNvrtc {
  /** Opens the first of the files that is NVRTC, once. Throws kind `unavailable`. */
  open(files: readonly string[]): { readonly path: string; readonly major: number; readonly minor: number };
  compile(request: NvrtcRequest): NvrtcResult;
  compileAsync(request: NvrtcRequest): Promise<NvrtcResult>;
}
