/** The types of a launch's arguments, from those of a kernel's parameters. */

import type { NDArray } from '../../array/array.ts';
import type { CudaArrayInterface } from '../../protocols/cai.ts';

/** What a launch passes for a parameter: an array of a device for `DeviceArray`, else the number, boolean or object itself. */
type PassedFor<P> = P extends { readonly size: number; readonly shape: readonly number[] }
  ? NDArray | { readonly __cuda_array_interface__: CudaArrayInterface }
  : P extends number | bigint | boolean
    ? P
    : P extends object
      ? { readonly [Field in keyof P]: PassedFor<P[Field]> }
      : P;

/** What a launch passes for a list of parameters. */
export type Passed<P extends readonly unknown[]> = { [Index in keyof P]: PassedFor<P[Index]> };
