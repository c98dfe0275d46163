/** A chunk of the pool while it is in use, or kept for its stream. */

import type { NativeStorage } from '../../native/binding.ts';
import type { Stream } from '../../core/stream.ts';
import type { ReusableBlock } from '../manager/pointer.ts';
import type { Chunk } from './best-fit.ts';

/** What a block tells its pool. */
export interface BlockOwner {
  /** The block is no longer in use, its work may still run: keep it for its stream. */
  keep(block: PoolBlock, stream: Stream | null): void;
  /** The block is idle. */
  reclaim(block: PoolBlock): void;
}

export class PoolBlock implements ReusableBlock {
  readonly chunk: Chunk;
  readonly bytes: number;
  /** True from `memalloc` until the memory is given back. */
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
      // A storage that nobody took may have work to wait for; releasing it ends in this finalizer once more.
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

  /** Makes `stream` wait, on the device, for all that used the block. */
  order(stream: Stream): void {
    this.#storage?.prepare(stream.native, 'write');
  }

  /** Lets go of a kept storage, whose release brings the block back when its work is done. False where there is none. */
  dropStorage(): boolean {
    const storage = this.take();
    storage?.release();
    return storage !== null;
  }
}
