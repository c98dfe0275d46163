/** Bindings of the addon for kernels on simulated devices; see `binding.ts`. */

import type { NativeStorage, NativeStream } from './binding.ts';

/** An immutable program of a kernel, which can run any number of times. */
export interface NativeKernelProgram {
  readonly [nativeKernelProgram]: true;
}
declare const nativeKernelProgram: unique symbol;

/**
 * Kernels of simulated devices, in host code. `config`: the grid's three extents, the block's three, the bytes of dynamic shared memory.
 * `arguments`: those of src/kernels/program/parameters.ts, each aligned to its size. `storages`: one for each array parameter, in order.
 * Elements outside a storage throw kind `bounds`, launches that are not possible kind `argument`.
 */
export interface NativeKernels {
  /** Decodes a program (src/kernels/machine/encode.ts). */
  makeProgram(words: Int32Array, constants: Uint8Array): NativeKernelProgram;
  /** Submits a launch as one operation of the stream. Its first fault stops it and waits to be taken; earlier faults that wait stay. */
  launch(
    stream: NativeStream,
    program: NativeKernelProgram,
    config: Int32Array,
    arguments_: Uint8Array,
    storages: readonly NativeStorage[]
  ): void;
  /**
   * Runs a kernel now, with all checks, on this thread. The caller waits for other work first. Returns a NativeKernelCheck as JSON.
   * `recordBlocks` is the number of blocks whose accesses are recorded, `recordWords` the most numbers that a record has.
   */
  check(
    program: NativeKernelProgram,
    config: Int32Array,
    arguments_: Uint8Array,
    storages: readonly NativeStorage[],
    options: { readonly recordBlocks: number; readonly recordWords: number }
  ): string;
  /** Takes the fault of a launch, a NativeKernelFault as JSON; null if there is none. */
  takeFault(): string | null;
  /** Takes what kernels printed, a line for each thread and print; at most about 1 MiB is kept. */
  takeOutput(): string;
  /** At index 0, bit 0 is set while a fault waits, bit 1 while output does: a cheap check after a wait. */
  readonly mail: Int32Array;
}

/** A thread, and where it was in the program. */
export interface NativeKernelActor {
  readonly place: {
    readonly line: number;
    readonly column: number;
    readonly length: number;
    readonly file: number;
  };
  readonly fileName: string;
  readonly block: readonly [number, number, number];
  readonly thread: readonly [number, number, number];
}

/**
 * A fault of a kernel. `array` and `index` are those of an access. `bounds`: the index is outside `length` on `axis`. `misaligned`: the address of several elements
 * is no multiple of their `bytes` together. `race`: with `other`, an access by another thread.
 * `uninitialized`: a read of shared or local memory that was not written. `divergentBarrier`: the thread does not reach the barrier at
 * the place. `warpMask`: the mask names lanes that do not take part, or not the thread's own. `shuffle`: the source lane does not take
 * part. `unsupported`: device code without a host form. `assert` has a message.
 */
export interface NativeKernelFault extends NativeKernelActor {
  readonly kind:
    | 'bounds'
    | 'misaligned'
    | 'race'
    | 'uninitialized'
    | 'divergentBarrier'
    | 'warpMask'
    | 'shuffle'
    | 'divisionByZero'
    | 'assert'
    | 'unsupported'
    | 'interrupted';
  readonly kernel: string;
  /** How often it happened at this place. */
  readonly count: number;
  /** Name of the array. */
  readonly array?: string;
  readonly index?: readonly number[];
  readonly axis?: number;
  readonly length?: number;
  readonly bytes?: number;
  readonly other?: NativeKernelActor;
  readonly message?: string;
}

/**
 * The accesses and branches of the first blocks, block by block, each warp's in the order in which they ran. `words` has, for each access: 0 read,
 * 1 write or 2 atomic; place (index in `places`), block, warp, active lanes (a bit for each), array (counting parameters, then memories,
 * then tables of the program), bytes that a lane accesses; then, for each active lane, the byte offset from the array's first element. Only
 * global and shared memory is recorded. For each branch: 3, place, block, warp, active lanes, and those that go into the first arm of
 * the `if`, or into the next round of the loop.
 */
export interface NativeKernelRecord {
  /** False if `recordWords` was too few even for the first block, whose record then ends early. */
  readonly complete: boolean;
  /** The number of blocks that are recorded, from the first: fewer than `recordBlocks` if `recordWords` was too few for all. */
  readonly blocks: number;
  readonly places: readonly NativeKernelActor['place'][];
  readonly words: readonly number[];
}

/** What a checked run found: up to 20 faults, each kind once at a place. */
export interface NativeKernelCheck {
  readonly faults: readonly NativeKernelFault[];
  readonly output: string;
  readonly record: NativeKernelRecord;
}
