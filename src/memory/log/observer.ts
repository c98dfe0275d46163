/** Where a memory log listens. Null while none does, and that one look is all that allocations and frees then cost. */

import type { Device } from '../../device.ts';
import type { Shape } from '../../layout/shape.ts';
import type { MemoryKind } from '../../native/binding.ts';
import type { Stream } from '../../stream.ts';
import type { BaseCUDAMemoryManager } from '../manager/base.ts';
import type { MemoryPointer } from '../manager/pointer.ts';
import type { Storage } from '../storage.ts';

/** What was asked of a manager. */
export interface ObservedRequest {
  readonly device: Device;
  readonly kind: MemoryKind;
  /** Bytes. */
  readonly bytes: number;
  /** The stream that is to use the memory first. */
  readonly stream: Stream | null;
}

export interface MemoryObserver {
  /** A manager gave memory; `storage` is null for memory without arrays. */
  allocated(
    request: ObservedRequest,
    manager: BaseCUDAMemoryManager,
    memory: MemoryPointer,
    storage: Storage | null
  ): void;
  refused(request: ObservedRequest, error: unknown): void;
  /** The dtype and shape of the first array over a storage. */
  named(storage: Storage, dtype: string, shape: Shape): void;
  /** A storage over memory of others begins. */
  borrowed(storage: Storage): void;
  /** The last array over a storage was disposed of; `exported` where others go on to hold the memory. */
  released(storage: Storage, exported: boolean): void;
  /** A pointer's last reference went, whoever held it. */
  finished(memory: MemoryPointer): void;
  /** A manager freed all that it had handed out. */
  reset(manager: BaseCUDAMemoryManager): void;
  /** A pool took a segment of the device, or gave it back. */
  segment(device: Device, pointer: bigint, bytes: number, added: boolean): void;
}

/** The log that listens now. */
export const memoryObserver: { current: MemoryObserver | null } = { current: null };
