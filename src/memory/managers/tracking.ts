/** Remembers where each allocation that is not freed was made (rule 220). */

import type { Device } from '../../core/device.ts';
import type { MemoryManagerClass } from '../manager/base.ts';
import { DefaultCUDAMemoryManager } from './default.ts';
import type { PinnedMemory } from '../manager/host-memory.ts';
import type { MemoryPointer } from '../manager/pointer.ts';
import { MemoryManagerAdaptor, type Request } from './adaptor.ts';

export interface TrackedAllocation {
  readonly kind: Request['kind'];
  readonly pointer: bigint;
  /** Bytes. */
  readonly size: number;
  /** Lines of the stack where it was made, innermost first; empty without `stacks`. */
  readonly stack: readonly string[];
}

export interface TrackingOptions {
  /** Whether stacks are taken, which costs some microseconds each. Default true. */
  readonly stacks?: boolean;
}

export class TrackingAdaptor extends MemoryManagerAdaptor {
  readonly #outstanding = new Map<bigint, TrackedAllocation>();
  readonly #stacks: boolean;

  constructor(
    context: Device,
    upstream: MemoryManagerClass = DefaultCUDAMemoryManager,
    options: TrackingOptions = {}
  ) {
    super(context, upstream);
    this.#stacks = options.stacks ?? true;
  }

  /** This adaptor around a manager class, to be registered. */
  static over(
    upstream: MemoryManagerClass,
    options: TrackingOptions = {}
  ): new (context: Device) => TrackingAdaptor {
    return class extends TrackingAdaptor {
      constructor(context: Device) {
        super(context, upstream, options);
      }
    };
  }

  /** Allocations that are not freed, oldest first. */
  outstanding(): TrackedAllocation[] {
    return [...this.#outstanding.values()];
  }

  /** The same as text, one allocation after the other with its stack. */
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

  protected override allocate<M extends MemoryPointer | PinnedMemory>(request: Request, attempt: () => M): M {
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
