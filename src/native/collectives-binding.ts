/** The part of the addon by which several devices work together; beside `binding.ts`. */

import type { NativeDevice, NativeStorage, NativeStream } from './binding.ts';

/** One rank of devices that work together: of NCCL, or of simulated devices of this process. */
export interface NativeCommunicator {
  /** Begins to look for the other ranks, on a worker thread; `progress` tells when they are found. Only for those of `create`. */
  start(): Promise<void>;
  /** False while the start, a call or the end is under way. Kind `collective` for what went wrong meanwhile, `freed` after the end. */
  progress(): boolean;
  /** Begins the end, which `progress` tells of; then `destroy`. */
  finalize(): void;
  /** The end, on a worker thread. */
  destroy(): Promise<void>;
  /** The end at once, whatever is under way. */
  abort(): void;
}

/** One rank's part in an operation. The numbers are those of native/collectives/call.h. */
export interface NativeCollectiveCall {
  /** 0 allReduce, 1 broadcast, 2 reduce, 3 reduceScatter, 4 allGather, 5 send, 6 recv. */
  readonly kind: number;
  readonly communicator: NativeCommunicator;
  readonly stream: NativeStream;
  /** Null where the rank has none: the source of a broadcast and the target of a reduction at any but the root. */
  readonly source: NativeStorage | null;
  /** Bytes. */
  readonly sourceOffset: number;
  readonly target: NativeStorage | null;
  readonly targetOffset: number;
  /** Elements of the whole; of one rank's part for reduceScatter and allGather. */
  readonly count: number;
  /** ncclDataType_t. */
  readonly type: number;
  /** ncclRedOp_t; 0 where there is none. */
  readonly op: number;
  /** The root, or the other side of send and recv; 0 where there is none. */
  readonly peer: number;
}

export interface NativeCollectives {
  /** The first file of the list that is an NCCL of 2.14 or newer; later calls give the same one. Kind `unavailable` where none is. */
  open(files: readonly string[]): { readonly path: string; readonly version: string };
  /** 128 bytes by which the ranks of one communicator find one another. This and `create` and `initAll` of GPUs need `open` before. */
  uniqueId(): Uint8Array;
  /** Nothing of it ever blocks inside NCCL. */
  create(device: NativeDevice, id: Uint8Array, rank: number, size: number): NativeCommunicator;
  /** All ranks of this process, one for each device; blocks until they have found one another. */
  initAll(devices: readonly NativeDevice[]): NativeCommunicator[];
  /**
   * Submits calls together, each ordered as one operation of its stream. With simulated devices the calls of all ranks of a
   * communicator must be among them. Kind `argument` or `bounds` before anything is submitted.
   */
  submit(calls: readonly NativeCollectiveCall[]): void;
}
