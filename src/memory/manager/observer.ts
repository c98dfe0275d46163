/** Where a memory log listens. Null while none does, and that one look is all that allocations and frees then cost. */

import type { Device } from '../../core/device.ts';
import type { Shape } from '../../layout/shape.ts';
import type { MemoryKind } from '../../native/binding.ts';
import type { Stream } from '../../core/stream.ts';
import type { BaseCUDAMemoryManager } from './base.ts';
import type { MemoryPointer } from './pointer.ts';

/** A block of memory that arrays share. */
export interface ObservedStorage {
  readonly device: Device;
  readonly pointer: bigint;
  readonly bytes: number;
  /** Whether a manager of this library gave it. */
  readonly managed: boolean;
}

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
    storage: ObservedStorage | null
  ): void;
  refused(request: ObservedRequest, error: unknown): void;
  /** The dtype and shape of the first array over a storage. */
  named(storage: ObservedStorage, dtype: string, shape: Shape): void;
  /** A storage over memory of others begins. */
  borrowed(storage: ObservedStorage): void;
  /** The last array over a storage was disposed of; `exported` where others go on to hold the memory. */
  released(storage: ObservedStorage, exported: boolean): void;
  /** A pointer's last reference went, whoever held it. */
  finished(memory: MemoryPointer): void;
  /** A manager freed all that it had handed out. */
  reset(manager: BaseCUDAMemoryManager): void;
  /** A pool took a segment of the device, or gave it back. */
  segment(device: Device, pointer: bigint, bytes: number, added: boolean): void;
}

/** The log that listens now. */
export const memoryObserver: { current: MemoryObserver | null } = { current: null };
