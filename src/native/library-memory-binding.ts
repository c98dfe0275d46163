/** The part of the addon that has memory for libraries of Python from the manager of JavaScript; beside `binding.ts`. */

import type { NativeDevice, NativeStorage } from './binding.ts';
import type { NativePythonHandle } from './python-binding.ts';

/** Why there is no memory. */
export interface MemoryRefusal {
  readonly message: string;
  readonly outOfMemory: boolean;
}

/** Functions for Python, which may be called on any thread; a stream is a handle, -1 stands for every one. */
export interface LibraryFunctions {
  /** `allocate(ordinal, bytes, stream)`: an address. Raises MemoryError, RuntimeError with what the manager said. */
  readonly allocate: NativePythonHandle;
  /** `free(address, stream)`: never waits; the memory is used again after the stream's work so far. */
  readonly free: NativePythonHandle;
  /** `note_use(address, stream)`: a further stream whose work so far the memory outlasts. */
  readonly noteUse: NativePythonHandle;
}

export interface NativeLibraryMemory {
  /**
   * Has requests served on this thread, for `devices` by their place: `serve` gives an address that `keep` was called for, and
   * `stream` is null for memory that is ready on any. `freed` is told in turn with other releases of a block that is no longer
   * held, and whether other streams than the one of its request used it. False where another environment serves.
   */
  open(
    devices: readonly NativeDevice[],
    serve: (ordinal: number, bytes: number, stream: bigint | null) => bigint | MemoryRefusal,
    freed: (pointer: bigint, elsewhere: boolean) => void
  ): boolean;
  /** Requests fail from now on, those that threads wait for too; frees are dropped. */
  close(): void;
  /** Notes the block of the request that is being served. */
  keep(storage: NativeStorage): void;
  functions(): LibraryFunctions;
  /** File of the addon, which exports `stridelab_torch_allocate`, `stridelab_torch_free` and `stridelab_torch_record_stream`. */
  path(): string;
  /** Blocks that libraries hold, and what the driver gave beside the manager since this thread was waiting for Python. */
  counts(): { readonly held: number; readonly besideCount: number; readonly besideBytes: number };
}
