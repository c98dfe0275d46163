/**
 * Best fit over slabs of addresses: pure bookkeeping. A request takes the smallest free chunk that holds it and splits off the
 * rest; a chunk that comes back is merged with free neighbours (rule 219).
 */

/** A stretch of a slab; the chunks of a slab form a list in the order of their addresses. */
export interface Chunk {
  readonly slab: Slab;
  readonly pointer: bigint;
  size: number;
  free: boolean;
  previous: Chunk | null;
  next: Chunk | null;
}

/** Memory from the driver that chunks are cut from. */
export interface Slab {
  readonly pointer: bigint;
  readonly bytes: number;
}

export class BestFit {
  /** Free chunks by size, and their sizes in ascending order. */
  readonly #free = new Map<number, Set<Chunk>>();
  readonly #sizes: number[] = [];
  /** Each slab with the chunk at its start, which stays the first: it is split and merged at its end. */
  readonly #slabs = new Map<Slab, Chunk>();

  get size(): number {
    return this.#slabs.size;
  }

  has(slab: Slab): boolean {
    return this.#slabs.has(slab);
  }

  slabs(): Slab[] {
    return [...this.#slabs.keys()];
  }

  /** Returns the chunks of each slab, by address. */
  layout(): { readonly slab: Slab; readonly chunks: readonly Chunk[] }[] {
    return Array.from(this.#slabs, ([slab, first]) => {
      const chunks: Chunk[] = [];
      for (let chunk: Chunk | null = first; chunk !== null; chunk = chunk.next) chunks.push(chunk);
      return { slab, chunks };
    });
  }

  get freeChunks(): number {
    let count = 0;
    for (const chunks of this.#free.values()) count += chunks.size;
    return count;
  }

  addSlab(pointer: bigint, bytes: number): void {
    const slab = { pointer, bytes };
    const chunk: Chunk = { slab, pointer, size: bytes, free: true, previous: null, next: null };
    this.#slabs.set(slab, chunk);
    this.#insert(chunk);
  }

  /** Takes a chunk of exactly `bytes`; null if no free chunk is large enough. */
  take(bytes: number): Chunk | null {
    const size = this.#sizes[this.#position(bytes)];
    if (size === undefined) return null;
    const [chunk] = this.#free.get(size) as Set<Chunk>;
    if (chunk === undefined) return null;
    this.#remove(chunk);
    if (chunk.size > bytes) this.#split(chunk, bytes);
    return chunk;
  }

  /** Takes a chunk back. The object must not be used again, because it may become part of a neighbour. */
  give(chunk: Chunk): void {
    let merged = chunk;
    const { previous, next } = chunk;
    if (next?.free === true) {
      this.#remove(next);
      join(merged, next);
    }
    if (previous?.free === true) {
      this.#remove(previous);
      join(previous, merged);
      merged = previous;
    }
    this.#insert(merged);
  }

  /** Removes and returns the slabs without chunks in use. */
  takeIdleSlabs(): Slab[] {
    const idle: Chunk[] = [];
    for (const chunks of this.#free.values()) {
      for (const chunk of chunks) if (chunk.size === chunk.slab.bytes) idle.push(chunk);
    }
    for (const chunk of idle) {
      this.#remove(chunk);
      this.#slabs.delete(chunk.slab);
    }
    return idle.map(chunk => chunk.slab);
  }

  #split(chunk: Chunk, bytes: number): void {
    const rest: Chunk = {
      slab: chunk.slab,
      pointer: chunk.pointer + BigInt(bytes),
      size: chunk.size - bytes,
      free: true,
      previous: chunk,
      next: chunk.next
    };
    if (rest.next !== null) rest.next.previous = rest;
    chunk.next = rest;
    chunk.size = bytes;
    this.#insert(rest);
  }

  #insert(chunk: Chunk): void {
    chunk.free = true;
    const known = this.#free.get(chunk.size);
    if (known !== undefined) {
      known.add(chunk);
      return;
    }
    this.#free.set(chunk.size, new Set([chunk]));
    this.#sizes.splice(this.#position(chunk.size), 0, chunk.size);
  }

  #remove(chunk: Chunk): void {
    chunk.free = false;
    const chunks = this.#free.get(chunk.size) as Set<Chunk>;
    chunks.delete(chunk);
    if (chunks.size > 0) return;
    this.#free.delete(chunk.size);
    this.#sizes.splice(this.#position(chunk.size), 1);
  }

  /** Returns the index of the first size that is at least `bytes`. */
  #position(bytes: number): number {
    let low = 0;
    let high = this.#sizes.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#sizes[middle] as number) < bytes) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Makes `right` part of its left neighbour. */
function join(left: Chunk, right: Chunk): void {
  left.size += right.size;
  left.next = right.next;
  if (right.next !== null) right.next.previous = left;
}
