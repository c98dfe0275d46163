/** A chunk of the pool that is in use or cached for its stream. */

import type { Stream } from '../../core/stream.ts';
import { ReusableBlock } from '../manager/reusable-block.ts';
import type { Chunk } from './best-fit.ts';

export interface BlockOwner {
  /** Caches a block for its stream: it is no longer in use, but its work may still run. */
  keep(block: PoolBlock, stream: Stream | null): void;
  /** Takes back a block without pending work. */
  reclaim(block: PoolBlock): void;
}

export class PoolBlock extends ReusableBlock {
  readonly chunk: Chunk;
  /** True from `memalloc` until the memory is freed. */
  inUse = false;
  /** Finalizer of every pointer to the block. */
  readonly finish: () => void;
  readonly #owner: BlockOwner;

  constructor(chunk: Chunk, owner: BlockOwner) {
    super(chunk.size);
    this.chunk = chunk;
    this.#owner = owner;
    this.finish = () => {
      // A storage that was not taken may have pending work; its release calls this finalizer again.
      if (this.dropStorage() === null) this.#owner.reclaim(this);
    };
  }

  protected override keep(stream: Stream | null): void {
    this.#owner.keep(this, stream);
  }
}
