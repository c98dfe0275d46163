/** Pointers that memory managers return: their references, and how they are freed (rules 211 to 213). */

import type { Device } from '../../core/device.ts';
import { BoundsError, FreedError } from '../../base/errors.ts';
import type { MemoryKind } from '../../native/binding.ts';
import type { Stream } from '../../core/stream.ts';
import { memoryObserver } from './observer.ts';
import type { ReusableBlock } from './reusable-block.ts';
import { once, whenCollected, type Finalizer } from './collected.ts';

export type { Finalizer };

/** Memory of one context, freed exactly once (rule 211). */
export abstract class Allocation {
  /** The device in whose context the memory was allocated or page-locked. */
  readonly context: Device;
  /** The address of the first byte, on the device unless a subclass documents otherwise; 0n for an empty block (rule 180). */
  readonly pointer: bigint;
  /** The size in bytes. */
  readonly size: number;
  /** The object that is kept alive as long as the memory is used. */
  readonly owner: unknown;
  #finalizer: Finalizer | null;
  #references = 1;
  #freed = false;

  /** `finalizer` is called once, when the memory is freed. */
  constructor(
    context: Device,
    pointer: bigint,
    size: number,
    owner: unknown = null,
    finalizer: Finalizer | null = null
  ) {
    this.context = context;
    this.pointer = pointer;
    this.size = size;
    this.owner = owner;
    this.#finalizer = finalizer;
  }

  /** True once the memory was freed. */
  get freed(): boolean {
    return this.#freed;
  }

  /** Adds a reference. @throws FreedError */
  retain(): this {
    this.requireAlive();
    this.#references++;
    return this;
  }

  /**
   * Releases a reference; the last one frees the memory. Never throws for memory that is freed already, for example by `reset` (rule 186:
   * late finalizers are silent).
   */
  release(): void {
    if (this.#freed || --this.#references > 0) return;
    this.#finish();
  }

  /**
   * Frees the memory immediately, even if there are other references. No work may still use it.
   * @throws FreedError for memory that was freed (rule 211)
   */
  free(): void {
    this.requireAlive();
    this.#finish();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** Checks that the memory was not freed. @throws FreedError */
  protected requireAlive(): void {
    if (this.freed)
      throw new FreedError(
        'the memory was freed: it cannot be used or freed again (rule 211: freed exactly once)'
      );
  }

  #finish(): void {
    this.#freed = true;
    if (memoryObserver.current !== null && this instanceof MemoryPointer)
      memoryObserver.current.finished(this);
    const finalizer = this.#finalizer;
    this.#finalizer = null;
    finalizer?.();
  }
}

/** Device memory, freed when its last reference is released. */
export class MemoryPointer extends Allocation {
  /** The stream in whose order the memory first becomes usable; null if it is usable immediately. */
  ready: Stream | null = null;
  /** The block, set by managers that reuse blocks in stream order. */
  block: ReusableBlock | null = null;

  /** The memory kind: `device`, unless a subclass overrides it. */
  get kind(): MemoryKind {
    return 'device';
  }

  /**
   * Returns the bytes from `start` to `stop`, as memory that keeps this memory alive (rule 213: slices stay inside).
   * @throws BoundsError outside the memory, FreedError
   */
  view(start: number, stop: number = this.size): MemoryPointer {
    this.requireAlive();
    if (
      !Number.isSafeInteger(start) ||
      !Number.isSafeInteger(stop) ||
      start < 0 ||
      stop < start ||
      stop > this.size
    ) {
      throw new BoundsError(
        `bytes ${start} to ${stop} are not inside memory of ${this.size} bytes (rule 213: slices)`
      );
    }
    this.retain();
    return new MemoryView(this, this.pointer + BigInt(start), stop - start, () => this.release());
  }

  /**
   * Returns a second pointer that takes over this reference, and releases it when it is collected. For memory that programs hold directly.
   * Collection does not wait for device work.
   */
  own(): MemoryPointer {
    this.requireAlive();
    const drop = once(() => this.release());
    const twin = new MemoryView(this, this.pointer, this.size, drop);
    whenCollected(twin, drop);
    return twin;
  }
}

/** Another pointer to all or a part of some memory, with its own reference. */
class MemoryView extends MemoryPointer {
  readonly #base: MemoryPointer;

  constructor(base: MemoryPointer, pointer: bigint, size: number, finalizer: Finalizer) {
    super(base.context, pointer, size, base, finalizer);
    this.#base = base;
    this.ready = base.ready;
  }

  override get kind(): MemoryKind {
    return this.#base.kind;
  }

  override get freed(): boolean {
    return super.freed || this.#base.freed;
  }
}

/** Memory that the driver moves between host and device on access (rule 216: not part of the plugin interface, version 1). */
export class ManagedMemory extends MemoryPointer {
  /** The memory kind: `managed`. */
  override get kind(): MemoryKind {
    return 'managed';
  }
}
