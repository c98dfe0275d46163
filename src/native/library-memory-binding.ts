/** Bindings of the addon that allocate memory for Python libraries from JavaScript's memory manager; see `binding.ts`. */

import type { NativeDevice, NativeStorage } from './binding.ts';
import type { NativePythonHandle } from './python-binding.ts';

export interface MemoryRefusal {
  readonly message: string;
  readonly outOfMemory: boolean;
}

/** Functions for Python, callable on any thread; a stream is a handle, or -1 for all streams. */
export interface LibraryFunctions {
  /** `allocate(ordinal, bytes, stream)` returns an address. Raises MemoryError, or RuntimeError with the manager's message. */
  readonly allocate: NativePythonHandle;
  /** `free(address, stream)` never waits; the memory is reused after the work submitted to the stream so far. */
  readonly free: NativePythonHandle;
  /** `note_use(address, stream)` adds a stream whose work so far must finish before the memory is reused. */
  readonly noteUse: NativePythonHandle;
}

export interface NativeLibraryMemory {
  /**
   * Serves requests on this thread, for `devices` by their index. `serve` returns an address for which `keep` was called; `stream` is
   * null for memory that must be ready on any stream. `freed` is called, in order with other releases, with a block that is no longer
   * held and whether streams other than that of its request used it. Returns false if another environment serves.
   */
  open(
    devices: readonly NativeDevice[],
    serve: (ordinal: number, bytes: number, stream: bigint | null) => bigint | MemoryRefusal,
    freed: (pointer: bigint, elsewhere: boolean) => void
  ): boolean;
  /** Fails all later requests and those that threads wait for; later frees are dropped. */
  close(): void;
  /** Notes the block of the request in progress. */
  keep(storage: NativeStorage): void;
  functions(): LibraryFunctions;
  /** The path of the addon, which exports PyTorch's functions: `stridelab_torch_allocate` and its companions. */
  path(): string;
  /** Counts the blocks that libraries hold, and the driver allocations made without the manager while this thread waited for Python. */
  counts(): { readonly held: number; readonly besideCount: number; readonly besideBytes: number };
}
