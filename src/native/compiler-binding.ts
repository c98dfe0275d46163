/** The part of the addon that compiles, loads and launches code for a GPU; beside `binding.ts`. */

import type { NativeDevice, NativeStorage, NativeStream } from './binding.ts';

/** Matrix products by cuBLASLt. `open` comes first. */
export interface NativeCublas {
  /** Opens the first of the files that is a cuBLASLt, once. Throws kind `unavailable`. */
  open(files: readonly string[]): { readonly path: string; readonly version: number };
  /**
   * Specification: type, compute type and scale type by cuBLAS's numbers, number of matrices; for each of a, b and d, column-major:
   * rows, columns, elements from column to column, from matrix to matrix, 1 where transposed; then the byte offset of each.
   * False where the library has no way for it; nothing is submitted then.
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

/** PTX, a cubin or a fat binary, loaded on one device. Stays loaded until `unload`, whatever the collector takes. */
export interface NativeModule {
  readonly device: NativeDevice;
  /**
   * A kernel by its lowered name. `sizes` are the bytes of its parameters, for drivers before 12.4, which do not tell them.
   * Throws kind `argument` where there is none.
   */
  kernel(name: string, sizes?: readonly number[]): NativeKernel;
  /** A `__device__` or `__constant__` variable. */
  global(name: string): { readonly pointer: bigint; readonly bytes: number };
  /** Waits for the device first. Idempotent; the kernels then throw kind `freed`. */
  unload(): void;
}

export interface NativeKernel {
  /** Where a launch is written before `launch`: its shape, 1 for cooperative, and for each storage 1 where it is written, at the places of LAUNCH_WORD (words.ts). */
  readonly config: Uint32Array;
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
  /** `limit` 0 is none. */
  suggestBlock(sharedBytes: number, limit: number): { readonly block: number; readonly leastGrid: number };
  /** Orders the stream after earlier uses of the storages, launches, notes the uses; the number of the operation. */
  launch(stream: NativeStream, ...storages: NativeStorage[]): number;
}

export interface NvrtcRequest {
  readonly source: string;
  /** File name in messages. */
  readonly name: string;
  readonly options: readonly string[];
  /** C++ names of kernels whose lowered names are wanted. */
  readonly expressions: readonly string[];
  readonly ptx: boolean;
}

export interface NvrtcResult {
  readonly ok: boolean;
  readonly log: string;
  readonly code: Uint8Array;
  readonly lowered: readonly string[];
}

/** The compiler. `open` comes first; where the source is at fault `ok` is false. */
export interface NativeNvrtc {
  /** Opens the first of the files that is an NVRTC, once. Throws kind `unavailable`. */
  open(files: readonly string[]): { readonly path: string; readonly major: number; readonly minor: number };
  compile(request: NvrtcRequest): NvrtcResult;
  compileAsync(request: NvrtcRequest): Promise<NvrtcResult>;
}
