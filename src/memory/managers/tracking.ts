/** Records where each allocation that is not freed was made (rule 220). */

import type { Device } from '../../core/device.ts';
import type { MemoryManagerClass } from '../manager/base.ts';
import type { Allocation } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';

/** One allocation that is not freed. */
export interface TrackedAllocation {
  /** The kind of memory. */
  readonly kind: Request['kind'];
  /** The address of the first byte. */
  readonly pointer: bigint;
  /** The size in bytes. */
  readonly size: number;
  /** The stack of the allocation, innermost frame first; empty if `stacks` is false. */
  readonly stack: readonly string[];
}

/** Options of `TrackingAdaptor`. */
export interface TrackingOptions {
  /** Whether stacks are recorded, which costs some microseconds per allocation. Default true. */
  readonly stacks?: boolean;
}

/** Tracks every allocation that is not freed, with the stack that made it, to find leaks. */
export class TrackingAdaptor extends MemoryManagerAdaptor {
  readonly #outstanding = new Map<bigint, TrackedAllocation>();
  readonly #stacks: boolean;

  constructor(context: Device, upstream?: MemoryManagerClass, options: TrackingOptions = {}) {
    super(context, upstream);
    this.#stacks = options.stacks ?? true;
  }

  /** Returns the allocations that are not freed, oldest first. */
  outstanding(): TrackedAllocation[] {
    return [...this.#outstanding.values()];
  }

  /** Returns the outstanding allocations as text, oldest first, each with its stack. */
  report(): string {
    return this.outstanding()
      .map(({ kind, pointer, size, stack }) =>
        [`${size} bytes of ${kind} memory at 0x${pointer.toString(16)}`, ...stack].join('\n    ')
      )
      .join('\n');
  }

  override reset(): void {
    super.reset();
    this.#outstanding.clear();
  }

  protected override allocate<M extends Allocation>(request: Request, attempt: () => M): M {
    const memory = attempt();
    const { kind, size } = request;
    const { pointer } = memory;
    if (size > 0) this.#outstanding.set(pointer, { kind, pointer, size, stack: this.#stacks ? stack() : [] });
    return memory;
  }

  protected override freed(_request: Request, pointer: bigint): void {
    this.#outstanding.delete(pointer);
  }
}

function stack(): string[] {
  const { stack = '' } = new Error();
  const lines = stack
    .split('\n')
    .slice(1)
    .map(line => line.trim());
  return lines.filter(line => !/[/\\]memory[/\\]managers[/\\](adaptor|tracking)\./.test(line));
}

export { TrackingAdaptor as _stridelab_memory_manager };
