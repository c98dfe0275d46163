/** Bindings of the addon for collective operations; see `binding.ts`. */

import type { NativeDevice, NativeStorage, NativeStream } from './binding.ts';

/** One rank of a communicator: of NCCL, or of simulated devices of this process. */
export interface NativeCommunicator {
  /** Starts connecting to the other ranks on a worker thread; poll `progress`. Only for ranks from `create`. */
  start(): Promise<void>;
  /** Returns false while an operation is in progress. Throws kind `collective` for an error since then, `freed` after the end. */
  progress(): boolean;
  /**
   * Makes this rank of a communicator without the `lost` ranks, on a worker thread; all remaining ranks must call it. Ends operations in
   * progress. Throws kind `argument` for an NCCL older than 2.27, `collective`, `freed` after the end.
   */
  shrink(lost: readonly number[]): Promise<NativeCommunicator>;
  /** Starts to finalize the communicator, as `progress` reports; then call `destroy`. */
  finalize(): void;
  /** Destroys the communicator on a worker thread. */
  destroy(): Promise<void>;
  /** Aborts the communicator immediately, with any operation in progress. */
  abort(): void;
}

/** One rank's part in an operation. The numbers are those of native/collectives/call.h. */
export interface NativeCollectiveCall {
  /** 0 allReduce, 1 broadcast, 2 reduce, 3 reduceScatter, 4 allGather, 5 send, 6 recv. */
  readonly kind: number;
  readonly communicator: NativeCommunicator;
  readonly stream: NativeStream;
  /** Null if the rank has none: the source of a broadcast and the target of a reduction on ranks other than the root. */
  readonly source: NativeStorage | null;
  /** In bytes. */
  readonly sourceOffset: number;
  readonly target: NativeStorage | null;
  readonly targetOffset: number;
  /** Elements in total; for reduceScatter and allGather, of one rank's part. */
  readonly count: number;
  /** ncclDataType_t. */
  readonly type: number;
  /** ncclRedOp_t; 0 if the operation has none. */
  readonly op: number;
  /** The root, or the other rank of send and recv; 0 if there is none. */
  readonly peer: number;
}

export interface NativeCollectives {
  /** Opens the first file of the list that is NCCL 2.14 or newer, once. Throws kind `unavailable` if there is none. */
  open(files: readonly string[]): { readonly path: string; readonly version: string };
  /** Creates the 128-byte id of a communicator. For GPUs, this, `create` and `initAll` need `open`. */
  uniqueId(): Uint8Array;
  /** Creates one rank, whose calls never block inside NCCL. */
  create(device: NativeDevice, id: Uint8Array, rank: number, size: number): NativeCommunicator;
  /** Creates all ranks in this process, one for each device; blocks until they are connected. */
  initAll(devices: readonly NativeDevice[]): NativeCommunicator[];
  /**
   * Submits calls together, each ordered as one operation of its stream. For simulated devices they must include the calls
   * of all ranks of a communicator. Throws kind `argument` or `bounds` before anything is submitted.
   */
  submit(calls: readonly NativeCollectiveCall[]): void;
}
