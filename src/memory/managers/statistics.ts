/** Counts what goes through a manager (rule 220). */

import type { Device } from '../../core/device.ts';
import type { MemoryManagerClass } from '../manager/base.ts';
import { DefaultCUDAMemoryManager } from './default.ts';
import type { PinnedMemory } from '../manager/host-memory.ts';
import type { MemoryPointer } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';

/** Of all kinds of memory together. */
export interface AllocationStatistics {
  /** Bytes and allocations that are not freed; may be negative after `pushCounters`, for what was allocated before. */
  readonly currentBytes: number;
  readonly currentCount: number;
  /** The most at one time. */
  readonly peakBytes: number;
  readonly peakCount: number;
  /** Everything that was ever allocated. */
  readonly totalBytes: number;
  readonly totalCount: number;
}

class Counters implements AllocationStatistics {
  currentBytes = 0;
  currentCount = 0;
  peakBytes = 0;
  peakCount = 0;
  totalBytes = 0;
  totalCount = 0;

  allocated(bytes: number): void {
    this.totalBytes += bytes;
    this.totalCount++;
    this.#change(bytes, 1);
  }

  freed(bytes: number): void {
    this.#change(-bytes, -1);
  }

  /** Adds what happened while `inner` counted on top of these. */
  include(inner: Counters): void {
    this.peakBytes = Math.max(this.peakBytes, this.currentBytes + inner.peakBytes);
    this.peakCount = Math.max(this.peakCount, this.currentCount + inner.peakCount);
    this.currentBytes += inner.currentBytes;
    this.currentCount += inner.currentCount;
    this.totalBytes += inner.totalBytes;
    this.totalCount += inner.totalCount;
  }

  #change(bytes: number, count: number): void {
    this.currentBytes += bytes;
    this.currentCount += count;
    this.peakBytes = Math.max(this.peakBytes, this.currentBytes);
    this.peakCount = Math.max(this.peakCount, this.currentCount);
  }
}

/** Counters that can be set aside for a part of a program, as RMM's do. */
export class StatisticsAdaptor extends MemoryManagerAdaptor {
  #counters = new Counters();
  readonly #outer: Counters[] = [];

  constructor(context: Device, upstream: MemoryManagerClass = DefaultCUDAMemoryManager) {
    super(context, upstream);
  }

  /** This adaptor around a manager class, to be registered. */
  static over(upstream: MemoryManagerClass): new (context: Device) => StatisticsAdaptor {
    return class extends StatisticsAdaptor {
      constructor(context: Device) {
        super(context, upstream);
      }
    };
  }

  /** The counters now. */
  statistics(): AllocationStatistics {
    return { ...this.#counters };
  }

  /** Starts counting from zero; returns the counters so far. */
  pushCounters(): AllocationStatistics {
    this.#outer.push(this.#counters);
    this.#counters = new Counters();
    return { ...(this.#outer.at(-1) as Counters) };
  }

  /** Adds the counters since the matching push to those before it, and returns them. Without one, nothing changes. */
  popCounters(): AllocationStatistics {
    const inner = this.#counters;
    const outer = this.#outer.pop();
    if (outer !== undefined) {
      outer.include(inner);
      this.#counters = outer;
    }
    return { ...inner };
  }

  /** Everything is freed, and only the totals and peaks stay. */
  override reset(): void {
    super.reset();
    for (const counters of [this.#counters, ...this.#outer]) {
      counters.currentBytes = 0;
      counters.currentCount = 0;
    }
  }

  protected override allocate<M extends MemoryPointer | PinnedMemory>(request: Request, attempt: () => M): M {
    const memory = attempt();
    this.#counters.allocated(request.size);
    return memory;
  }

  protected override freed(request: Request): void {
    this.#counters.freed(request.size);
  }
}

export { StatisticsAdaptor as _stridelab_memory_manager };
