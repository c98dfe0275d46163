/** Passes arrays between an interpreter and this library: without a copy in this process, by sharing with another process. */

import type { NDArray } from '../../array/array.ts';
import type { DeviceLike } from '../../core/device.ts';
import type { ImportOptions } from '../../interchange/cai/import.ts';
import type { NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import type { Stream } from '../../core/stream.ts';

/** The protocols with which Python objects describe their memory, in the order in which they are tried. */
export const ARRAY_PROTOCOLS = [
  'exchange-table',
  'dlpack',
  'cuda-array-interface',
  'array-interface',
  'buffer'
] as const;

/** One of the protocols with which Python objects describe their memory. */
export type ArrayProtocol = (typeof ARRAY_PROTOCOLS)[number];

/** Options of `python.asArray`. */
export interface AsArrayOptions {
  /** The device of the result; by default the data's own. */
  readonly device?: DeviceLike | null | undefined;
  /** True always copies, false never copies, null or undefined copies only if `device` requires it. */
  readonly copy?: boolean | null | undefined;
  /** The stream of the array, which waits for the producer's work; the legacy default stream of its device if left out. */
  readonly stream?: Stream | undefined;
  /** The only protocol to use, instead of the first that the object supports. */
  readonly via?: ArrayProtocol | undefined;
}

/** How `fromDlpack` and `asCudaArray` import: `tensor` is either route of DLPack, the exchange table if the class has one. */
export type ImportVia = ArrayProtocol | 'tensor';

/** Options of `python.asArray` together with those of `asCudaArray`, which only apply to CUDA descriptors. */
export interface ImportedBy extends Omit<AsArrayOptions, 'via'>, Omit<ImportOptions, 'device' | 'stream'> {
  readonly via?: ImportVia | undefined;
}

export interface ArrayBridge {
  /** Returns a value that becomes a Python array object over the array's memory, which that object keeps. */
  toPython(array: NDArray): ToPython;
  /** Returns an array over the memory of an object, which the array keeps. */
  fromPython(object: NativePythonHandle, options: ImportedBy): NDArray;
}
