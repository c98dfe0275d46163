/** Pointers that memory managers hand out: who holds them, and what happens when nobody does (rules 211 to 213). */

import type { Device } from '../../core/device.ts';
import { BoundsError, FreedError } from '../../base/errors.ts';
import type { MemoryKind, NativeStorage } from '../../native/binding.ts';
import type { Stream } from '../../core/stream.ts';
import { memoryObserver } from './observer.ts';
import { once, whenCollected, type Finalizer } from './collected.ts';

export type { Finalizer };

/**
 * A block that a pool takes back together with its native storage, uses and all: the next owner is ordered after them on the
 * device, so the pool need not wait for them. For the library's own use.
 */
export interface ReusableBlock {
  /** The storage of the block's previous life, null where it has none. The caller owns it from then on. */
  take(): NativeStorage | null;
  /** Takes back the block; `stream` is the only one that used it, null where there were several. */
  give(storage: NativeStorage, stream: Stream | null): void;
  /** The block's size as the pool counts it. */
  readonly bytes: number;
}

/** Device memory of one context, freed when its last reference goes. */
export class MemoryPointer {
  /** The device whose context allocated the memory. */
  readonly context: Device;
  /** Device address of the first byte, 0n for nothing (rule 180). */
  readonly pointer: bigint;
  /** Bytes. */
  readonly size: number;
  /** What must live as long as the memory is used. */
  readonly owner: unknown;
  /** The stream in whose order the memory may be used at first; null where it may be used at once. */
  ready: Stream | null = null;
  /** Set by pools that reuse blocks in stream order. */
  block: ReusableBlock | null = null;
  #finalizer: Finalizer | null;
  #references = 1;
  #dead = false;

  /** `finalizer` is called once, when the last reference goes or the memory is freed by hand. */
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

  get kind(): MemoryKind {
    return 'device';
  }

  /** True once the memory was freed. */
  get dead(): boolean {
    return this.#dead;
  }

  /** Adds a reference. @throws FreedError */
  retain(): this {
    this.requireAlive();
    this.#references++;
    return this;
  }

  /** Drops a reference; the last one frees. Silent for dead memory, since a reset may have come first (rule 186). */
  release(): void {
    if (this.#dead || --this.#references > 0) return;
    this.#finish();
  }

  /** Frees now, whoever else refers to it. No work may still use the memory. @throws FreedError for dead memory (rule 211) */
  free(): void {
    this.requireAlive();
    this.#finish();
  }

  /**
   * The bytes from `start` to `stop`, which keep this memory alive (rule 213).
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
        `bytes ${start} to ${stop} are not inside memory of ${this.size} bytes (rule 213)`
      );
    }
    this.retain();
    return new MemoryView(this, this.pointer + BigInt(start), stop - start, () => this.release());
  }

  /**
   * A twin that takes over this reference and drops it when it is collected: for memory that people hold, where arrays have
   * native finalizers. A collected twin frees without waiting for work on the device.
   */
  own(): MemoryPointer {
    this.requireAlive();
    const drop = once(() => this.release());
    const twin = new MemoryView(this, this.pointer, this.size, drop);
    whenCollected(twin, drop);
    return twin;
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** @throws FreedError */
  protected requireAlive(): void {
    if (this.dead) throw new FreedError('dead memory: it was freed (rule 211)');
  }

  #finish(): void {
    this.#dead = true;
    if (memoryObserver.current !== null) memoryObserver.current.finished(this);
    const finalizer = this.#finalizer;
    this.#finalizer = null;
    finalizer?.();
  }
}

/** Other memory or a part of it, with a reference of its own. */
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

  override get dead(): boolean {
    return super.dead || this.#base.dead;
  }
}

/** Memory that the driver moves between host and device as they touch it (rule 216: beyond the plugin interface). */
export class ManagedMemory extends MemoryPointer {
  override get kind(): MemoryKind {
    return 'managed';
  }
}
