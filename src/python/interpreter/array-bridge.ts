/** How arrays cross between an interpreter and this library: in this process over the same memory, to another one by a share. */

import type { NDArray } from '../../array/array.ts';
import type { DeviceLike } from '../../core/device.ts';
import type { ImportOptions } from '../../interchange/cai/import.ts';
import type { NativePythonHandle, ToPython } from '../../native/python-binding.ts';
import type { Stream } from '../../core/stream.ts';

/** What an object says of its memory by, in the order in which they are tried. */
export const ARRAY_PROTOCOLS = [
  'exchange-table',
  'dlpack',
  'cuda-array-interface',
  'array-interface',
  'buffer'
] as const;

export type ArrayProtocol = (typeof ARRAY_PROTOCOLS)[number];

export interface AsArrayOptions {
  /** Where the array shall be; by default where the data is. */
  readonly device?: DeviceLike | null | undefined;
  /** True always copies, false never, null or undefined only where the device asks for it. */
  readonly copy?: boolean | null | undefined;
  /** The stream of the array, which comes after its producer's work; the legacy default stream of its device if left out. */
  readonly stream?: Stream | undefined;
  /** The one protocol to use, instead of the first that the object has. */
  readonly via?: ArrayProtocol | undefined;
}

/** The same with what `asCudaArray` offers beyond it, which the CUDA descriptor alone has a use for. */
export interface ImportedBy extends AsArrayOptions, Omit<ImportOptions, 'device' | 'stream'> {}

export interface ArrayBridge {
  /** A value that becomes an object which Python's libraries take for an array, over the array's memory, which it keeps. */
  toPython(array: NDArray): ToPython;
  /** An array over the memory of an object, which it keeps. */
  fromPython(object: NativePythonHandle, options: ImportedBy): NDArray;
}
