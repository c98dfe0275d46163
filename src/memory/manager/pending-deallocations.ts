/** Pending frees, run in batches: freeing device memory synchronizes the device (rule 207). */

import { MemoryManagerError } from '../../base/errors.ts';
import type { Stream } from '../../core/stream.ts';
import type { AllocatedBlock } from './allocation-table.ts';
import { DeferredBlock } from './deferred-block.ts';

export const COUNT_VARIABLE = 'STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT';
export const RATIO_VARIABLE = 'STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_RATIO';

export interface PendingLimits {
  /** All pending frees are run if there are more than this. */
  readonly count: number;
  /** All pending frees are run if their bytes exceed this part of the capacity. */
  readonly ratio: number;
}

/** Returns the limits: 10 frees and a fifth of the device, unless the environment sets others. @throws MemoryManagerError naming the variable */
export function limitsFromEnvironment(environment: NodeJS.ProcessEnv = process.env): PendingLimits {
  const read = (name: string, fallback: number): number => {
    const text = environment[name]?.trim();
    if (text === undefined || text === '') return fallback;
    const value = Number(text);
    if (!(value >= 0)) throw new MemoryManagerError(`${name} is '${text}', expected a number from 0`);
    return value;
  };
  return { count: read(COUNT_VARIABLE, 10), ratio: read(RATIO_VARIABLE, 0.2) };
}

/** A free that is pending. A DeferredBlock is one that a new array can take before it runs. */
export interface PendingFree {
  run(): void;
  readonly bytes: number;
  /** The memory, if it is device memory. */
  readonly block: AllocatedBlock | null;
}

export class PendingDeallocations {
  /** Bytes that the ratio refers to; null until it is known, so that only the count is limited (rule 208). */
  capacity: number | null = null;
  readonly limits: PendingLimits;
  readonly #queue: PendingFree[] = [];
  readonly #failures: unknown[] = [];
  #bytes = 0;
  #deferrals = 0;

  constructor(limits: PendingLimits = limitsFromEnvironment()) {
    this.limits = limits;
  }

  get count(): number {
    return this.#queue.length;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Returns the device memory whose free is pending, oldest first. */
  blocks(): AllocatedBlock[] {
    return this.#queue.flatMap(({ block }) => block ?? []);
  }

  /** Errors of frees, oldest first; they never reach the code that released the memory (rule 100). */
  get failures(): readonly unknown[] {
    return this.#failures;
  }

  get deferred(): boolean {
    return this.#deferrals > 0;
  }

  /** Adds a free, and runs all pending ones when they exceed the limits. */
  add(free: PendingFree): void {
    this.#queue.push(free);
    this.#bytes += free.bytes;
    this.#flushIfExceeded();
  }

  /** Takes back the latest block of exactly `bytes` that an array on `stream` can use; null if there is none. */
  take(bytes: number, stream: Stream): DeferredBlock | null {
    const last = this.#queue.length - 1;
    for (let at = last; at >= 0; at--) {
      const free = this.#queue[at]!;
      if (!(free instanceof DeferredBlock) || !free.serves(bytes, stream)) continue;
      if (at === last) this.#queue.pop();
      else this.#queue.splice(at, 1);
      this.#bytes -= bytes;
      return free;
    }
    return null;
  }

  /** Runs the pending frees unless deferred. One that throws does not stop the others (rule 210). */
  flush(): void {
    if (!this.deferred) this.flushForReset();
  }

  /** Runs the pending frees, deferred or not, before the context is reset. */
  flushForReset(): void {
    // Each leaves the queue and the counter before it runs, so that neither an error nor a free inside it counts it twice.
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      this.#bytes -= next.bytes;
      try {
        next.run();
      } catch (error) {
        this.#failures.push(error);
      }
    }
  }

  /** Postpones frees until every such object is disposed; the last one runs the frees if they exceed the limits (rules 196, 198). */
  defer(): Disposable {
    this.#deferrals++;
    let active = true;
    return {
      [Symbol.dispose]: () => {
        if (!active) return;
        active = false;
        this.#deferrals--;
        this.#flushIfExceeded();
      }
    };
  }

  #flushIfExceeded(): void {
    const most = this.capacity === null ? Infinity : this.capacity * this.limits.ratio;
    if (this.#queue.length > this.limits.count || this.#bytes > most) this.flush();
  }
}
