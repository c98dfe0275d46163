/** Host memory for plugins that manage only device memory (rules 208, 214). */

import type { Device } from '../../core/device.ts';
import { MemoryManagerError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import { AllocationTable } from './allocation-table.ts';
import { BaseCUDAMemoryManager, type HostAllocOptions, type HostMemory } from './base.ts';
import { hostMemory } from './host-memory.ts';
import { withRetries } from './out-of-memory.ts';
import { ManagedMemory } from './pointer.ts';
import { blockSegments, type MemorySegment } from './segments.ts';
import { PendingDeallocations } from './pending-deallocations.ts';

/** Counts of the calls that reached this class, under a name that another copy of the package shares (rule 234). */
export const HOST_ONLY_CALLS = Symbol.for('stridelab.host-only-calls');

export interface HostOnlyCalls {
  initialize: number;
  reset: number;
  deferCleanup: number;
}

/**
 * A base class for plugins that manage device memory only. It implements `memhostalloc`, `mempin`, `memallocmanaged`, `initialize`, `reset`
 * and `deferCleanup`. A subclass implements `memalloc`, `getMemoryInfo` and `getIpcHandle`, and calls `super` if it overrides `initialize`,
 * `reset` or `deferCleanup`; a subclass that does not is refused before its first allocation (rule 214).
 */
export abstract class HostOnlyCUDAMemoryManager extends BaseCUDAMemoryManager {
  readonly [HOST_ONLY_CALLS]: HostOnlyCalls = { initialize: 0, reset: 0, deferCleanup: 0 };
  /** Allocations that are not freed. */
  protected readonly allocations = new AllocationTable();
  /** Frees that are pending. */
  protected readonly deallocations: PendingDeallocations;

  constructor(context: Device) {
    super(context);
    this.deallocations = new PendingDeallocations();
  }

  override memhostalloc(size: number, options: HostAllocOptions = {}): HostMemory {
    const { context } = this;
    const { mapped = false, portable = false, wc = false } = options;
    if (size === 0) return hostMemory(mapped, context, 0n, 0);
    const { raw } = native();
    const found = this.attempt(size, () =>
      raw.memHostAlloc(context.native, size, { mapped, portable, writeCombined: wc })
    );
    const finalizer = this.deferred(size, () => raw.memFreeHost(context.native, found.host));
    return this.#hostMemory(mapped, found.host, found.device, size, null, finalizer);
  }

  override mempin(owner: unknown, pointer: bigint, size: number, mapped: boolean): HostMemory {
    const { context } = this;
    const { raw } = native();
    const device = this.attempt(size, () => raw.memHostRegister(context.native, pointer, size, mapped));
    // The finalizer holds the owner, whose memory must not be freed before it is unlocked, and bypasses the queue (rule 183).
    const unpin = this.allocations.add(
      () => raw.memHostUnregister(context.native, pointer),
      free => free()
    );
    return this.#hostMemory(mapped, pointer, device, size, owner, () => {
      unpin();
      owner = null;
    });
  }

  /** Allocates managed memory with the driver, so that plugins for device memory need not implement it (rule 215). */
  override memallocmanaged(size: number, attachGlobal = true): ManagedMemory {
    const { context } = this;
    if (size === 0) return new ManagedMemory(context, 0n, 0);
    const { raw } = native();
    const pointer = this.attempt(size, () => raw.memAllocManaged(context.native, size, attachGlobal));
    const finalizer = this.deferred(size, () => raw.memFree(context.native, pointer));
    return new ManagedMemory(context, pointer, size, null, finalizer);
  }

  /** Reads the size of the device, to which the ratio of pending frees refers (rule 208). */
  override initialize(): void {
    this[HOST_ONLY_CALLS].initialize++;
    this.deallocations.capacity ??= this.#capacity();
  }

  override reset(): void {
    this[HOST_ONLY_CALLS].reset++;
    this.allocations.clear();
    this.deallocations.flushForReset();
  }

  override deferCleanup(): Disposable {
    this[HOST_ONLY_CALLS].deferCleanup++;
    return this.deallocations.defer();
  }

  /** Runs the pending frees. */
  override giveBack(): void {
    this.deallocations.flush();
  }

  /** Returns the result of a driver call. If it is out of memory, frees pending memory and more, and tries again (rule 209). */
  protected attempt<T>(size: number, call: () => T): T {
    return withRetries(this.context, size, call, () => this.deallocations.flush());
  }

  /** Notes an allocation and returns its finalizer, which queues the free. Pass `pointer` for device memory only. */
  protected deferred(size: number, free: () => void, pointer?: bigint): () => void {
    const block = pointer === undefined ? null : { pointer, bytes: size };
    return this.allocations.add(free, run => this.deallocations.add({ run, bytes: size, block }), block);
  }

  /**
   * Lists each allocation of device memory, pending frees included. Managed memory is not listed, because the driver moves it to the host
   * as needed.
   */
  override segments(): readonly MemorySegment[] {
    const kept = this.deallocations.blocks();
    const pointers = new Set(kept.map(({ pointer }) => pointer));
    const used = this.allocations.blocks().filter(({ pointer }) => !pointers.has(pointer));
    return [...blockSegments(used, 'used'), ...blockSegments(kept, 'kept')];
  }

  #capacity(): number {
    try {
      return this.getMemoryInfo().total;
    } catch (error) {
      if (!(error instanceof MemoryManagerError)) throw error;
      return this.context.totalMemory;
    }
  }

  #hostMemory(
    mapped: boolean,
    host: bigint,
    device: bigint | null,
    size: number,
    owner: unknown,
    finalizer: () => void
  ): HostMemory {
    try {
      return hostMemory(mapped, this.context, host, size, owner, finalizer, device);
    } catch (error) {
      finalizer();
      throw error;
    }
  }
}
