/** The pool's bookkeeping, without a driver. */

import { BestFit, type Chunk } from '../../../src/memory/pool/best-fit.ts';
import { StreamArenas } from '../../../src/memory/pool/stream-arenas.ts';
import type { Stream } from '../../../src/core/stream.ts';

const KIBI = 1024;

function take(pool: BestFit, bytes: number): Chunk {
  const chunk = pool.take(bytes);
  if (chunk === null) throw new Error(`no chunk of ${bytes} bytes`);
  return chunk;
}

/** Returns a generator of numbers from 0 to 1, with one sequence for each seed. */
function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x80000000;
}

describe('best fit', () => {
  test('rule 219: returns the smallest chunk that fits the request, and splits off the rest', () => {
    const pool = new BestFit();
    pool.addSlab(0x100000n, 64 * KIBI);
    pool.addSlab(0x900000n, 8 * KIBI);
    const small = take(pool, 6 * KIBI);
    expect(small).toMatchObject({ pointer: 0x900000n, size: 6 * KIBI, free: false });
    expect(take(pool, 2 * KIBI).pointer).toBe(0x900000n + BigInt(6 * KIBI));
    expect(take(pool, 2 * KIBI).pointer).toBe(0x100000n);
    expect(pool.take(63 * KIBI)).toBeNull();
  });

  test('rule 219: merges a freed chunk with both free neighbours', () => {
    const pool = new BestFit();
    pool.addSlab(0x1000n, 4 * KIBI);
    const chunks = [1, 2, 3, 4].map(() => take(pool, KIBI));
    expect(pool.take(1)).toBeNull();
    const [first, second, third, fourth] = chunks as [Chunk, Chunk, Chunk, Chunk];
    pool.give(first);
    pool.give(third);
    expect(pool.freeChunks).toBe(2);
    pool.give(second);
    expect(pool.freeChunks).toBe(1);
    expect(take(pool, 3 * KIBI).pointer).toBe(0x1000n);
    pool.give(fourth);
    expect(pool.freeChunks).toBe(1);
  });

  test('unused slabs are released whole, others stay', () => {
    const pool = new BestFit();
    pool.addSlab(0x1000n, KIBI);
    pool.addSlab(0x8000n, KIBI);
    const used = take(pool, 512);
    const idle = pool.takeIdleSlabs();
    expect(idle).toHaveLength(1);
    expect(pool.size).toBe(1);
    pool.give(used);
    expect(pool.takeIdleSlabs()).toHaveLength(1);
    expect(pool.takeIdleSlabs()).toHaveLength(0);
    expect(pool.freeChunks).toBe(0);
  });

  test('an empty pool has nothing', () => {
    expect(new BestFit().take(1)).toBeNull();
    expect(new BestFit().takeIdleSlabs()).toEqual([]);
  });

  test.each([1, 2, 3, 4])('no two chunks overlap and nothing is lost, in random order (seed %i)', seed => {
    const random = randomNumbers(seed);
    const pool = new BestFit();
    const total = 1024 * 512;
    pool.addSlab(0x10000n, total);
    const live: Chunk[] = [];
    for (let step = 0; step < 5000; step++) {
      if (random() < 0.55) {
        const chunk = pool.take(512 * (1 + Math.floor(random() * 40)));
        if (chunk !== null) live.push(chunk);
      } else if (live.length > 0) {
        pool.give(live.splice(Math.floor(random() * live.length), 1)[0] as Chunk);
      }
    }
    const ordered = live.toSorted((a, b) => Number(a.pointer - b.pointer));
    for (const [at, chunk] of ordered.entries()) {
      const next = ordered[at + 1];
      if (next !== undefined) expect(next.pointer).toBeGreaterThanOrEqual(chunk.pointer + BigInt(chunk.size));
    }
    for (const chunk of live) pool.give(chunk);
    expect(pool.freeChunks).toBe(1);
    expect(take(pool, total).pointer).toBe(0x10000n);
  });
});

describe('arenas', () => {
  const stream = (id: number): Stream => ({ id }) as Stream;

  test('rule 219: a stream gets its own block of the same size back, the latest first', () => {
    const arenas = new StreamArenas<{ readonly bytes: number; readonly name: string }>();
    const [one, two] = [stream(1), stream(2)];
    arenas.give({ bytes: 512, name: 'early' }, one);
    arenas.give({ bytes: 512, name: 'late' }, one);
    arenas.give({ bytes: 512, name: 'shared' }, null);
    expect(arenas.take(512, two)).toBeUndefined();
    expect(arenas.take(1024, one)).toBeUndefined();
    expect(arenas.take(512, one)?.name).toBe('late');
    expect(arenas.take(512, one)?.name).toBe('early');
    expect(arenas.take(512, one)).toBeUndefined();
    expect(arenas.take(512, null)?.name).toBe('shared');
    expect(arenas.count).toBe(0);
  });

  test('rule 219: all can be taken together, so that a destroyed stream leaves nothing behind', () => {
    const arenas = new StreamArenas<{ readonly bytes: number }>();
    arenas.give({ bytes: 512 }, stream(1));
    arenas.give({ bytes: 1024 }, stream(2));
    expect(arenas.takeAll()).toHaveLength(2);
    expect(arenas.count).toBe(0);
    expect(arenas.takeAll()).toEqual([]);
  });
});
