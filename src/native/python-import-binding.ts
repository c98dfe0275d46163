/** Bindings of the addon that import arrays of the Python in this process; see `python-binding.ts`. */

import type { NativeStorage } from './binding.ts';
import type { NativePythonHandle } from './python-binding.ts';

/**
 * The DLPack routes that `take` tries: the exchange table if there is one, otherwise the methods (`tensor`); only one of the two; or, with
 * `any`, also the original of an array of this library, and nothing if the tensor would be rounded.
 */
export const TAKE = Object.freeze({ any: 0, table: 1, method: 2, tensor: 3 });

export interface NativePythonBuffer {
  /** The address of the first logical element. */
  readonly pointer: bigint;
  readonly bytes: number;
  readonly itemsize: number;
  readonly readOnly: boolean;
  /** The format, in the syntax of PEP 3118 and the `struct` module. */
  readonly format: string;
  readonly shape: readonly number[];
  /** In bytes; compact row-major if left out. */
  readonly strides?: readonly number[];
  /** True if rows are behind pointers (suboffsets). */
  readonly indirect: boolean;
  /** The owner that keeps the memory; pass it to `end`. */
  readonly owner: NativePythonHandle;
}

/**
 * Imported memory is kept by its owner: the handle it came with, or another handle of the object if that handle already keeps
 * other memory. Each import keeps the owner and calls `end` once; an owner that is collected ends automatically.
 */
export interface NativePythonImport {
  /** Describes the last tensor, or the memory of the last interface or buffer (src/interchange/dlpack/fields.ts). */
  readonly fields: Float64Array;
  /**
   * Takes a DLPack tensor of an object: `stream` is the consumer's handle for CUDA memory. Returns undefined if the object has none of the routes that `via` names; the array for an
   * array of this library (`fields` then contains offset -2); a storage for a tensor that this addon exported (`fields` then contains its offset); otherwise the owner of the memory.
   * Exceptions of the producer are thrown unchanged; an invalid result throws kind `buffer`.
   */
  take(
    object: NativePythonHandle,
    via: number,
    stream: bigint,
    copy: boolean | undefined
  ): NativePythonHandle | NativeStorage | object | undefined;
  /** Keeps the object itself, which described its memory. Returns the owner. */
  keep(object: NativePythonHandle, first: bigint, bytes: number): NativePythonHandle;
  /** Ends one import of the owner's memory. */
  end(owner: NativePythonHandle): void;
  /**
   * Reads `__array_interface__`, or with `cuda` `__cuda_array_interface__`; null if the object has no such attribute, or None. Of an ordinary dictionary
   * it writes the entries to `fields` and returns the owner. For any other, and always with `described`, it returns the entries; `fields` then contains offset -3.
   */
  interface(object: NativePythonHandle, cuda: boolean, described: boolean): unknown;
  /**
   * Returns null if the object does not support the buffer protocol. Of an ordinary buffer it writes the layout to `fields` and returns the owner. For any other,
   * and always with `described`, it returns a description; `fields` then contains offset -3.
   */
  buffer(object: NativePythonHandle, described: false): NativePythonBuffer | NativePythonHandle | null;
  buffer(object: NativePythonHandle, described: true): NativePythonBuffer | null;
  /** Returns the library of an array object that needs special handling: `torch`, `jaxlib`, `cupy`, `warp`, `numba`; otherwise empty. */
  library(object: NativePythonHandle): string;
  /** The package of the object's class, such as `numpy`; empty for builtins, undefined if not a handle. Throws kind `freed`. */
  package(object: unknown): string | undefined;
  /** Returns the library's current stream on CUDA device `id`; 0n if unknown. */
  workStream(object: NativePythonHandle, id: number): bigint;
}
