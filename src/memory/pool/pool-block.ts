/** A chunk of the pool that is in use or cached for its stream. */

import type { NativeStorage } from '../../native/binding.ts';
import type { Stream } from '../../core/stream.ts';
import type { ReusableBlock } from '../manager/pointer.ts';
import type { Chunk } from './best-fit.ts';

export interface BlockOwner {
  /** Caches a block for its stream: it is no longer in use, but its work may still run. */
  keep(block: PoolBlock, stream: Stream | null): void;
  /** Takes back a block without pending work. */
  reclaim(block: PoolBlock): void;
}

export class PoolBlock implements ReusableBlock {
  readonly chunk: Chunk;
  readonly bytes: number;
  /** True from `memalloc` until the memory is freed. */
  inUse = false;
  /** Finalizer of every pointer to the block. */
  readonly finish: () => void;
  readonly #owner: BlockOwner;
  #storage: NativeStorage | null = null;

  constructor(chunk: Chunk, owner: BlockOwner) {
    this.chunk = chunk;
    this.bytes = chunk.size;
    this.#owner = owner;
    this.finish = () => {
      // A storage that was not taken may have pending work; its release calls this finalizer again.
      if (!this.dropStorage()) this.#owner.reclaim(this);
    };
  }

  take(): NativeStorage | null {
    const storage = this.#storage;
    this.#storage = null;
    return storage;
  }

  give(storage: NativeStorage, stream: Stream | null): void {
    this.#storage = storage;
    this.#owner.keep(this, stream);
  }

  /** Makes `stream` wait, on the device, for all uses of the block. */
  order(stream: Stream): void {
    this.#storage?.prepare(stream.native, 'write');
  }

  /** Releases a cached storage, which returns the block when its work is done. Returns false if there is none. */
  dropStorage(): boolean {
    const storage = this.take();
    storage?.release();
    return storage !== null;
  }
}
