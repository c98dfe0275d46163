/** Managers that wrap another one (rule 220). */

import type { Device, MemoryInfo } from '../../core/device.ts';
import type { Stream } from '../../core/stream.ts';
import {
  BaseCUDAMemoryManager,
  type HostAllocOptions,
  type HostMemory,
  type MemoryManagerClass
} from '../manager/base.ts';
import { callDeferCleanup, callInitialize, callReset, makeManager } from '../manager/checks.ts';
import { MappedMemory, PinnedMemory } from '../manager/host-memory.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { ManagedMemory, MemoryPointer, type Allocation } from '../manager/pointer.ts';
import { DefaultCUDAMemoryManager } from './default.ts';

/** One allocation, as an adaptor sees it. */
export interface Request {
  /** The kind of memory that was requested. */
  readonly kind: 'device' | 'host' | 'managed' | 'pin';
  /** The size in bytes. */
  readonly size: number;
  /** The stream of `memallocAsync`; null for other allocations. */
  readonly stream: Stream | null;
}

/**
 * The base class of managers that wrap another. It forwards all calls to `upstream`; subclasses observe each allocation in `allocate` and
 * each free in `freed`. Through an adaptor, blocks are not reused in stream order, so that each allocation and free is observed.
 */
export abstract class MemoryManagerAdaptor extends BaseCUDAMemoryManager {
  /** The version of the plugin interface that this class implements. */
  static readonly interfaceVersion: number = 2;
  /** The wrapped manager. */
  readonly upstream: BaseCUDAMemoryManager;
  /** The number of resets; each frees all earlier allocations. */
  #epoch = 0;

  constructor(context: Device, upstream: MemoryManagerClass = DefaultCUDAMemoryManager) {
    super(context);
    this.upstream = makeManager(upstream, context);
  }

  /** Returns this adaptor around a manager class, for `setMemoryManager`; `options` are the further arguments of its constructor. */
  static over<Adaptor extends MemoryManagerAdaptor, Options extends readonly unknown[]>(
    this: new (context: Device, upstream: MemoryManagerClass, ...options: Options) => Adaptor,
    upstream: MemoryManagerClass,
    ...options: Options
  ): new (context: Device) => Adaptor {
    type Base = new (...values: ConstructorParameters<typeof this>) => MemoryManagerAdaptor;
    // TypeScript cannot extend a class whose instance type is a type parameter.
    abstract class Over extends (this as Base) {
      constructor(context: Device) {
        super(context, upstream, ...options);
      }
    }
    Object.defineProperty(Over, 'name', { value: this.name });
    return Over as unknown as new (context: Device) => Adaptor;
  }

  override memalloc(size: number): MemoryPointer {
    return this.#pointer({ kind: 'device', size, stream: null }, () => this.upstream.memalloc(size));
  }

  override memallocAsync(size: number, stream: Stream): MemoryPointer {
    const { upstream } = this;
    return this.#pointer({ kind: 'device', size, stream }, () =>
      upstream.memallocAsync === undefined ? upstream.memalloc(size) : upstream.memallocAsync(size, stream)
    );
  }

  override memallocmanaged(size: number, attachGlobal = true): MemoryPointer {
    return this.#pointer({ kind: 'managed', size, stream: null }, () =>
      this.upstream.memallocmanaged(size, attachGlobal)
    );
  }

  override memhostalloc(size: number, options: HostAllocOptions = {}): HostMemory {
    return this.#host({ kind: 'host', size, stream: null }, () => this.upstream.memhostalloc(size, options));
  }

  override mempin(owner: unknown, pointer: bigint, size: number, mapped: boolean): HostMemory {
    return this.#host({ kind: 'pin', size, stream: null }, () =>
      this.upstream.mempin(owner, pointer, size, mapped)
    );
  }

  override initialize(): void {
    callInitialize(this.upstream);
  }

  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return this.upstream.getIpcHandle(memory);
  }

  override getMemoryInfo(): MemoryInfo {
    return this.upstream.getMemoryInfo();
  }

  override reset(): void {
    this.#epoch++;
    callReset(this.upstream);
  }

  override deferCleanup(): Disposable {
    return callDeferCleanup(this.upstream);
  }

  /** Makes an allocation with `attempt`; its errors reach the caller. */
  protected allocate<M extends Allocation>(_request: Request, attempt: () => M): M {
    return attempt();
  }

  /** Called once for each allocation that is freed, before upstream frees it; not for those that a reset freed. */
  protected abstract freed(request: Request, pointer: bigint): void;

  #pointer(request: Request, attempt: () => MemoryPointer): MemoryPointer {
    const memory = this.allocate(request, attempt);
    const { context, pointer, size } = memory;
    const Twin = memory.kind === 'managed' ? ManagedMemory : MemoryPointer;
    const twin = new Twin(context, pointer, size, memory, this.#finalizer(request, memory));
    twin.ready = memory.ready;
    return twin;
  }

  #host(request: Request, attempt: () => HostMemory): HostMemory {
    const memory = this.allocate(request, attempt);
    const { context, pointer, size } = memory;
    const finalizer = this.#finalizer(request, memory);
    if ('hostPointer' in memory)
      return new MappedMemory(context, memory.hostPointer, size, memory, finalizer, pointer);
    return new PinnedMemory(context, pointer, size, memory, finalizer);
  }

  #finalizer(request: Request, memory: Allocation): () => void {
    const epoch = this.#epoch;
    return () => {
      try {
        if (epoch === this.#epoch) this.freed(request, memory.pointer);
      } finally {
        memory.release();
      }
    };
  }
}
