/**
 * Freed blocks whose work may be pending, by the stream that used them: that stream can reuse them immediately, in its order. Blocks that
 * several streams used are available to any stream, after it waits for all of them on the device.
 */

import type { Stream } from '../../core/stream.ts';

/** Blocks of one arena by size, the latest last: it is the likeliest to be in the device's caches. */
type Arena<B> = Map<number, B[]>;

export interface Sized {
  readonly bytes: number;
}

export class StreamArenas<B extends Sized> {
  readonly #arenas = new Map<Stream | null, Arena<B>>();
  #count = 0;

  get count(): number {
    return this.#count;
  }

  give(block: B, stream: Stream | null): void {
    let arena = this.#arenas.get(stream);
    if (arena === undefined) {
      arena = new Map();
      this.#arenas.set(stream, arena);
    }
    const blocks = arena.get(block.bytes);
    if (blocks === undefined) arena.set(block.bytes, [block]);
    else blocks.push(block);
    this.#count++;
  }

  /** Takes the latest block of exactly `bytes` that only `stream` used, or, with null, that several used. */
  take(bytes: number, stream: Stream | null): B | undefined {
    if (this.#count === 0) return undefined;
    const block = this.#arenas.get(stream)?.get(bytes)?.pop();
    if (block !== undefined) this.#count--;
    return block;
  }

  blocks(): B[] {
    return [...this.#arenas.values()].flatMap(arena => [...arena.values()].flat());
  }

  /** Removes and returns all blocks, and drops the arenas of destroyed streams. */
  takeAll(): B[] {
    const blocks = this.blocks();
    this.#arenas.clear();
    this.#count = 0;
    return blocks;
  }
}
