/** Groups arrays that share memory: views of one storage, and arrays imported from overlapping memory. */

import type { NDArray } from '../../../../src/array/array.ts';
import type { Storage } from '../../../../src/memory/storage.ts';
import { extentOf } from './entry.ts';

export interface Block {
  readonly id: number;
  readonly bytes: number;
}

/** The block of an array that was freed before it was first seen. */
export const NO_BLOCK: Block = { id: 0, bytes: 0 };

interface Span {
  readonly id: number;
  readonly storage: Storage;
  readonly start: number;
  readonly end: number;
}

export class Blocks {
  readonly #ids = new WeakMap<Storage, number>();
  #lastId = 0;

  /** Returns the block of each storage of the arrays: one for all storages whose bytes overlap on a device. */
  of(arrays: Iterable<NDArray>): Map<Storage, Block> {
    const storages = new Set<Storage>();
    for (const array of arrays) if (!array.freed) storages.add(array.storage);
    const spans = Array.from(storages, storage => ({
      id: this.#idOf(storage),
      storage,
      ...extentOf(storage)
    }));
    const blocks = new Map<Storage, Block>();
    for (const own of Map.groupBy(spans, ({ storage }) => storage.device).values()) noteBlocks(own, blocks);
    return blocks;
  }

  #idOf(storage: Storage): number {
    let id = this.#ids.get(storage);
    if (id === undefined) this.#ids.set(storage, (id = ++this.#lastId));
    return id;
  }
}

/** Sweeps over the addresses once: spans that overlap earlier ones belong to one block. */
function noteBlocks(spans: Span[], blocks: Map<Storage, Block>): void {
  spans.sort((a, b) => a.start - b.start);
  for (let first = 0; first < spans.length;) {
    let { id, end } = spans[first] as Span;
    const { start } = spans[first] as Span;
    let next = first + 1;
    for (; next < spans.length && (spans[next] as Span).start < end; next += 1) {
      // The oldest storage determines the id, so that it is stable while views come and go.
      id = Math.min(id, (spans[next] as Span).id);
      end = Math.max(end, (spans[next] as Span).end);
    }
    const block = { id, bytes: end - start };
    for (; first < next; first += 1) blocks.set((spans[first] as Span).storage, block);
  }
}
