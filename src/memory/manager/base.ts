/** The plugin interface for memory managers: that of NBEP 7, with names in camelCase (rules 178 to 224; `docs/memory-managers.md`). */

import type { Device, MemoryInfo } from '../../core/device.ts';
import { MemoryManagerError } from '../../base/errors.ts';
import type { Stream } from '../../core/stream.ts';
import type { MappedMemory, PinnedMemory } from './host-memory.ts';
import type { IpcHandle } from './ipc-handle.ts';
import type { MemoryPointer } from './pointer.ts';
import type { MemorySegment } from './segments.ts';

/** Options of page-locked host memory (rule 181). All default to false. */
export interface HostAllocOptions {
  /** Whether the device can address the memory. */
  readonly mapped?: boolean | undefined;
  /** Whether all contexts, not only this one, treat the memory as page-locked. */
  readonly portable?: boolean | undefined;
  /** Whether the memory is write-combined: fast for the device to read, slow for the host to read. */
  readonly wc?: boolean | undefined;
}

/** Page-locked host memory, mapped or not. */
export type HostMemory = MappedMemory | PinnedMemory;

/**
 * The base class of memory managers, as in NBEP 7. A plugin is a class: the library creates one instance for each device, and calls every
 * method on the JavaScript thread (rule 223). A plugin names the version of this interface that it was written for: `static
 * interfaceVersion = 1`, or a method `interfaceVersion()` (rule 199: other versions are refused).
 */
export abstract class BaseCUDAMemoryManager {
  /** The device for whose context this instance allocates. */
  readonly context: Device;

  constructor(context: Device) {
    this.context = context;
  }

  /** Allocates device memory that is usable immediately on any stream. 0 bytes give a null pointer (rule 180). */
  abstract memalloc(size: number): MemoryPointer;

  /** Allocates page-locked host memory: MappedMemory if `mapped`, otherwise PinnedMemory (rule 181). */
  abstract memhostalloc(size: number, options?: HostAllocOptions): HostMemory;

  /** Page-locks existing host memory, and keeps `owner` (rule 182). Freeing it unlocks immediately (rule 183). */
  abstract mempin(owner: unknown, pointer: bigint, size: number, mapped: boolean): HostMemory;

  /** Prepares the manager. Called before any allocation, possibly several times; later calls keep the state (rule 184). */
  abstract initialize(): void;

  /**
   * Returns a handle with which another process opens the memory (rule 188: the handle has the offset inside its allocation).
   * @throws IpcError if the memory cannot be shared (rule 194)
   */
  abstract getIpcHandle(memory: MemoryPointer): IpcHandle;

  /** Returns free and total bytes (rule 187). @throws MemoryManagerError if the manager cannot determine them */
  abstract getMemoryInfo(): MemoryInfo;

  /** Frees all memory of the context (rule 186); may be called before `initialize` (rule 185). */
  abstract reset(): void;

  /** Postpones frees until the result is disposed; calls nest (rule 196). */
  abstract deferCleanup(): Disposable;

  /** Returns the version of the interface that the plugin was written for, if the class has no static property of this name. */
  interfaceVersion?(): number;

  /**
   * Allocates device memory that is usable in the order of `stream`; the result's `ready` is the stream that must be waited for. Managers
   * that reuse freed blocks in stream order use the stream as a hint. Optional, interface version 2 (rule 217).
   */
  memallocAsync?(size: number, stream: Stream): MemoryPointer;

  /**
   * Frees what is cached for later requests, such as pending frees and idle blocks of pools. Called when this manager or another runs out
   * of memory (rule 209). Optional: without it, other managers cannot get that memory.
   */
  giveBack?(): void;

  /**
   * Lists the device memory that the manager holds, for pictures of memory. Optional: without it, pictures show what the memory log recorded.
   * Submits no work.
   */
  segments?(): readonly MemorySegment[];

  /**
   * Allocates managed memory. Optional; NBEP 7 does not define it (rules 215, 216).
   * @throws MemoryManagerError unless the plugin implements it
   */
  memallocmanaged(_size: number, _attachGlobal = true): MemoryPointer {
    throw new MemoryManagerError(
      `${this.constructor.name} does not support managed memory (rule 215: optional)`
    );
  }
}

/** The class of a memory manager, as `setMemoryManager` accepts it. */
export type MemoryManagerClass = new (context: Device) => BaseCUDAMemoryManager;
