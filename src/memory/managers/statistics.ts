/** Counts what goes through a manager (rule 220). */

import type { Allocation } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';

/** Counters over all kinds of memory. */
export interface AllocationStatistics {
  /** Bytes allocated and not freed; may be negative after `pushCounters`, when earlier memory is freed. */
  readonly currentBytes: number;
  /** Allocations not freed; may be negative after `pushCounters`, when earlier memory is freed. */
  readonly currentCount: number;
  /** The most bytes allocated at one time. */
  readonly peakBytes: number;
  /** The most allocations at one time. */
  readonly peakCount: number;
  /** All bytes ever allocated. */
  readonly totalBytes: number;
  /** The number of all allocations ever made. */
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

/** Counts allocations, with counters that can be pushed and popped to measure a part of a program, as in RMM. */
export class StatisticsAdaptor extends MemoryManagerAdaptor {
  #counters = new Counters();
  readonly #outer: Counters[] = [];

  /** Returns the current counters. */
  statistics(): AllocationStatistics {
    return { ...this.#counters };
  }

  /** Pushes the counters and starts again from zero; returns the pushed counters. */
  pushCounters(): AllocationStatistics {
    this.#outer.push(this.#counters);
    this.#counters = new Counters();
    return { ...(this.#outer.at(-1) as Counters) };
  }

  /**
   * Adds the current counters to those of the matching `pushCounters` and returns the current ones. Without a matching push, changes
   * nothing.
   */
  popCounters(): AllocationStatistics {
    const inner = this.#counters;
    const outer = this.#outer.pop();
    if (outer !== undefined) {
      outer.include(inner);
      this.#counters = outer;
    }
    return { ...inner };
  }

  /** Frees all memory of the context; totals and peaks stay. */
  override reset(): void {
    super.reset();
    for (const counters of [this.#counters, ...this.#outer]) {
      counters.currentBytes = 0;
      counters.currentCount = 0;
    }
  }

  protected override allocate<M extends Allocation>(request: Request, attempt: () => M): M {
    const memory = attempt();
    this.#counters.allocated(request.size);
    return memory;
  }

  protected override freed(request: Request): void {
    this.#counters.freed(request.size);
  }
}

export { StatisticsAdaptor as _stridelab_memory_manager };
