/** The part of the addon that takes in arrays of the Python in this process; beside `python-binding.ts`. */

import type { NativeStorage } from './binding.ts';
import type { NativePythonHandle } from './python-binding.ts';

/** Which ways of DLPack `take` tries: the exchange table and then the methods, or one alone. */
export const TAKE = Object.freeze({ any: 0, table: 1, method: 2 });

/** What an object shows by the buffer protocol. */
export interface NativePythonBuffer {
  /** Address of the first logical element. */
  readonly pointer: bigint;
  readonly bytes: number;
  readonly itemsize: number;
  readonly readOnly: boolean;
  /** As PEP 3118 and the `struct` module write it. */
  readonly format: string;
  readonly shape: readonly number[];
  /** Bytes; compact row-major where there are none. */
  readonly strides?: readonly number[];
  /** Rows behind pointers: suboffsets. */
  readonly indirect: boolean;
  /** What the memory is kept by: for `end`. */
  readonly owner: NativePythonHandle;
}

/**
 * Memory that comes in is kept by its owner: the handle it came by, or another handle of the same object, where that keeps other
 * memory already. Whoever looks at the memory keeps the owner and calls `end` once; an owner that is collected ends by itself.
 */
export interface NativePythonImport {
  /** Describes the last tensor (src/interchange/dlpack/fields.ts). */
  readonly fields: Float64Array;
  /**
   * Takes a DLPack tensor of an object: `stream` is the consumer's handle for memory of CUDA. Undefined where the object has none of
   * the ways that `via` names; the array itself for one of ours in Python's hands (then `fields` tell the offset -2); a storage for a tensor
   * that this addon exported (then `fields` tell its offset); else the owner of the memory. What the producer raises is thrown as it is; kind `buffer` for what it should not have given.
   */
  take(
    object: NativePythonHandle,
    via: number,
    stream: bigint,
    copy: boolean | undefined
  ): NativePythonHandle | NativeStorage | object | undefined;
  /** Keeps the object itself, which has said that its memory is there. The owner. */
  keep(object: NativePythonHandle, first: bigint, bytes: number): NativePythonHandle;
  /** One look at the owner's memory is over. */
  end(owner: NativePythonHandle): void;
  /** The keys of a dictionary such as `__array_interface__`; null where the object has no such attribute, or None. */
  interface(object: NativePythonHandle, name: string): unknown;
  /** Null where the object has no buffer protocol. */
  buffer(object: NativePythonHandle): NativePythonBuffer | null;
  /** The library whose array the object is, where its arrays need care: `torch`, `jaxlib`, `cupy`, `warp`, `numba`; else empty. */
  library(object: NativePythonHandle): string;
  /** The package of the object's class, for people: `numpy`; empty for Python's own. Undefined for what is no handle; kind `freed`. */
  package(object: unknown): string | undefined;
  /** The stream of CUDA device `id` that the library's work goes to now; 0n where nothing tells. */
  workStream(object: NativePythonHandle, id: number): bigint;
}
