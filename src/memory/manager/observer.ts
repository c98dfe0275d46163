/** The hook of the memory log. While it is null, it costs allocations and frees one check. */

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
  /** Whether a manager of this library allocated it. */
  readonly managed: boolean;
}

export interface ObservedRequest {
  readonly device: Device;
  readonly kind: MemoryKind;
  readonly bytes: number;
  /** The stream that will use the memory first. */
  readonly stream: Stream | null;
}

export interface MemoryObserver {
  /** A manager allocated memory; `storage` is null for memory without arrays. */
  allocated(
    request: ObservedRequest,
    manager: BaseCUDAMemoryManager,
    memory: MemoryPointer,
    storage: ObservedStorage | null
  ): void;
  refused(request: ObservedRequest, error: unknown): void;
  /** The dtype and shape of the first array over a storage. */
  named(storage: ObservedStorage, dtype: string, shape: Shape): void;
  /** A storage over imported memory was made. */
  borrowed(storage: ObservedStorage): void;
  /** The last array over a storage was disposed; `exported` if consumers still hold the memory. */
  released(storage: ObservedStorage, exported: boolean): void;
  /** A pointer's last reference was released. */
  finished(memory: MemoryPointer): void;
  reset(manager: BaseCUDAMemoryManager): void;
  /** A pool allocated a segment of device memory, or freed it. */
  segment(device: Device, pointer: bigint, bytes: number, added: boolean): void;
}

export const memoryObserver: { current: MemoryObserver | null } = { current: null };
