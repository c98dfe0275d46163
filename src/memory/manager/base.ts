/** The plugin interface for memory managers: NBEP 7's, with its names in camelCase (rules 178 to 224; `docs/memory-managers.md`). */

import type { Device, MemoryInfo } from '../../core/device.ts';
import { MemoryManagerError } from '../../base/errors.ts';
import type { Stream } from '../../core/stream.ts';
import type { MappedMemory, PinnedMemory } from './host-memory.ts';
import type { IpcHandle } from './ipc-handle.ts';
import type { MemoryPointer } from './pointer.ts';
import type { MemorySegment } from './segments.ts';

/** How host memory is allocated (rule 181); everything is off unless given. */
export interface HostAllocOptions {
  /** Whether the device addresses it too. */
  readonly mapped?: boolean | undefined;
  /** Whether every context takes it for page-locked, not only this one. */
  readonly portable?: boolean | undefined;
  /** Write-combined: fast for the device to read, slow for the host. */
  readonly wc?: boolean | undefined;
}

export type HostMemory = MappedMemory | PinnedMemory;

/**
 * What allocates for one device. A plugin is a class: the library makes one instance for each device, all of the same class,
 * and calls every method on the thread of JavaScript (rule 223). A plugin also says which version of this interface it was
 * written for: `static interfaceVersion = 1`, or a method `interfaceVersion()` (rule 199).
 */
export abstract class BaseCUDAMemoryManager {
  /** The device whose context the memory is for. */
  readonly context: Device;

  constructor(context: Device) {
    this.context = context;
  }

  /** Device memory in the context, usable at once on any stream. 0 bytes give the null pointer (rules 179, 180). */
  abstract memalloc(size: number): MemoryPointer;

  /** Page-locked host memory: MappedMemory when `mapped`, else PinnedMemory (rule 181). */
  abstract memhostalloc(size: number, options?: HostAllocOptions): HostMemory;

  /** Page-locks host memory that exists, and keeps `owner` (rule 182). Unlocked at once when it is freed (rule 183). */
  abstract mempin(owner: unknown, pointer: bigint, size: number, mapped: boolean): HostMemory;

  /** Called before any allocation, and again at any time: later calls keep the state (rule 184). */
  abstract initialize(): void;

  /** How another process opens the memory (rule 188). @throws IpcError where it cannot (rule 194) */
  abstract getIpcHandle(memory: MemoryPointer): IpcHandle;

  /** Bytes free and in all. @throws MemoryManagerError where the manager cannot tell */
  abstract getMemoryInfo(): MemoryInfo;

  /** Frees everything of the context; may come before `initialize` (rules 185, 186). */
  abstract reset(): void;

  /** Puts off frees until it is disposed; nests (rules 196 to 198). */
  abstract deferCleanup(): Disposable;

  /** Version of the interface the plugin was written for, where the class has no static of this name. */
  interfaceVersion?(): number;

  /**
   * Version 2: device memory that is usable in the order of `stream`, whose `ready` says so; a manager that reuses freed blocks
   * in stream order uses the stream as a hint (rule 217).
   */
  memallocAsync?(size: number, stream: Stream): MemoryPointer;

  /**
   * Gives back to the device what is kept for later requests: pending frees, idle blocks of pools. Called where this manager or
   * another one is out of memory (rule 209); without it that memory is out of reach for others.
   */
  giveBack?(): void;

  /** What the manager holds of the device, for pictures of memory; without it they know what a log saw of it. Asks no driver for work. */
  segments?(): readonly MemorySegment[];

  /** Managed memory, which NBEP 7 leaves out (rules 215, 216). @throws MemoryManagerError unless a plugin offers it */
  memallocmanaged(_size: number, _attachGlobal = true): MemoryPointer {
    throw new MemoryManagerError(`${this.constructor.name} does not support managed memory (rule 215)`);
  }
}

/** A plugin: what `setMemoryManager` takes. */
export type MemoryManagerClass = new (context: Device) => BaseCUDAMemoryManager;
