/** The two pools, on the simulated device. */

import '../../../src/index.ts';
import { empty } from '../../../src/array/creation.ts';
import { ArgumentError, IpcError, OutOfMemoryError } from '../../../src/base/errors.ts';
import { getIpcHandle } from '../../../src/sharing/ipc-array.ts';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  currentManager,
  deferCleanup,
  getMemoryInfo,
  memalloc,
  memhostalloc,
  resetMemory,
  usingMemoryManager
} from '../../../src/memory/index.ts';
import { Storage } from '../../../src/memory/storage.ts';
import { native } from '../../../src/native/load.ts';
import { Stream } from '../../../src/core/stream.ts';
import { until } from '../../setup/until.ts';
import { MEBI, simulated } from './plugins.ts';
import { settle } from './settle.ts';

const on = { device: simulated } as const;

function freshPool(): { readonly scope: Disposable; readonly pool: BestFitPoolMemoryManager } {
  const scope = usingMemoryManager(class extends BestFitPoolMemoryManager {});
  return { scope, pool: currentManager(simulated) as BestFitPoolMemoryManager };
}

/** A storage of `bytes` that `stream` has filled. */
function filled(bytes: number, stream: Stream): Storage {
  const storage = Storage.allocate(simulated, bytes, 'device', stream);
  storage.fill(0, 1, 1, bytes, stream);
  return storage;
}

describe('best-fit pool', () => {
  test('rule 219: sizes are rounded up to 512 bytes, and statistics have used, held and limit', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    using memory = memalloc(513, on);
    expect(memory.size).toBe(513);
    expect(pool.statistics()).toEqual({
      used: 1024,
      held: 2 * MEBI,
      limit: null,
      slabs: 1,
      freeChunks: 1,
      keptBlocks: 0
    });
  });

  test('rule 219: blocks are cut from one slab, merged when they are freed, and released by freeAllBlocks', async () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    await settle();
    const before = simulated.memoryInfo().free;
    const blocks = Array.from({ length: 8 }, () => memalloc(MEBI / 8, on));
    expect(pool.statistics()).toMatchObject({ used: MEBI, slabs: 1 });
    expect(pool.freeAllBlocks()).toBe(0);
    for (const block of blocks) block.free();
    expect(pool.statistics()).toMatchObject({ used: 0, held: 2 * MEBI });
    memalloc(2 * MEBI, on).free();
    expect(pool.statistics()).toMatchObject({ held: 2 * MEBI, slabs: 1, freeChunks: 1 });
    expect(pool.freeAllBlocks()).toBe(2 * MEBI);
    expect(simulated.memoryInfo().free).toBe(before);
    expect(pool.statistics()).toMatchObject({ held: 0, slabs: 0 });
  });

  test('rule 219: a stream gets its own block back immediately, while its writes are still running', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    using stream = new Stream({ device: simulated });
    const first = filled(MEBI, stream);
    const { pointer } = first;
    first.release();
    expect(pool.statistics()).toMatchObject({ used: 0, keptBlocks: 1 });
    const second = Storage.allocate(simulated, MEBI - 100, 'device', stream);
    expect(second.pointer).toBe(pointer);
    expect(second.bytes).toBe(MEBI - 100);
    expect(second.uses().map(use => use.stream)).toEqual([stream]);
    expect(pool.statistics()).toMatchObject({ used: MEBI, keptBlocks: 0 });
    second.release();
  });

  test('rules 219, 232: another stream gets idle memory, not what the first is still using', () => {
    const { scope } = freshPool();
    using _ = scope;
    using one = new Stream({ device: simulated });
    using two = new Stream({ device: simulated });
    const first = filled(64 * MEBI, one);
    const { pointer } = first;
    first.release();
    const second = Storage.allocate(simulated, 64 * MEBI, 'device', two);
    expect(second.pointer === pointer && second.uses().some(use => !use.complete)).toBe(false);
    second.release();
  });

  test('rules 219, 232: a block that several streams used is reused after all of them, on the device', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    using one = new Stream({ device: simulated });
    using two = new Stream({ device: simulated });
    using three = new Stream({ device: simulated });
    const shared = filled(MEBI, one);
    shared.fill(0, 1, 2, MEBI, two);
    const { pointer } = shared;
    shared.release();
    expect(pool.statistics().keptBlocks).toBe(1);
    const next = Storage.allocate(simulated, MEBI, 'device', three);
    expect(next.pointer).toBe(pointer);
    next.fill(0, 1, 3, MEBI, three);
    const bytes = new Uint8Array(1);
    next.readToHost(0, bytes, three);
    expect(bytes[0]).toBe(3);
    next.release();
  });

  test('rules 79, 219: unused reused memory is exported with the stream that may still work on it', () => {
    const { scope } = freshPool();
    using _ = scope;
    using stream = new Stream({ device: simulated });
    empty(MEBI, { dtype: 'uint8', stream }).fill(1).dispose();
    using again = empty(MEBI, { dtype: 'uint8', stream });
    expect(again.__cuda_array_interface__.stream).toBe(stream.handle);
  });

  test('rule 219: memory with another holder is not reused', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    using stream = new Stream({ device: simulated });
    const storage = filled(MEBI, stream);
    const read = storage.readToHostAsync(0, new Uint8Array(16), stream);
    storage.release();
    expect(pool.statistics()).toMatchObject({ used: MEBI, keptBlocks: 0 });
    return read.then(async () => {
      await until(() => {
        native().drainReleases(true);
        return pool.statistics().used === 0;
      });
      expect(pool.statistics()).toMatchObject({ keptBlocks: 0 });
    });
  });

  test('rules 101, 219: a released storage cannot access the memory of its successor', () => {
    const { scope } = freshPool();
    using _ = scope;
    using stream = new Stream({ device: simulated });
    const first = filled(4096, stream);
    first.release();
    const second = filled(4096, stream);
    expect(() => first.fill(0, 1, 9, 1, stream)).toThrow('freed');
    expect(() => first.pointer).toThrow('freed');
    expect(second.freed).toBe(false);
    second.release();
  });

  test('rule 219: blocks kept for a destroyed stream are used again when memory is needed', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    for (let i = 0; i < 20; i++) {
      using stream = new Stream({ device: simulated });
      filled(MEBI, stream).release();
    }
    native().drainReleases(true);
    expect(pool.statistics().held).toBeLessThanOrEqual(20 * MEBI);
    simulated.synchronize();
    pool.freeAllBlocks();
    native().drainReleases(true);
    pool.freeAllBlocks();
    expect(pool.statistics()).toMatchObject({ used: 0, held: 0, keptBlocks: 0 });
  });

  test('rules 219, 230: an unreachable array is freed by the collector', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    pool.setLimit({ bytes: 8 * MEBI });
    for (let i = 0; i < 50; i++) Storage.allocate(simulated, 3 * MEBI);
    expect(pool.statistics().held).toBeLessThanOrEqual(8 * MEBI);
  });

  test('rules 209, 219: the limit applies, in bytes and as a fraction, and idle slabs are released', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    pool.setLimit({ bytes: 4 * MEBI });
    expect(getMemoryInfo(simulated)).toEqual({ free: 4 * MEBI, total: 4 * MEBI });
    const held = memalloc(3 * MEBI, on);
    let error: unknown;
    try {
      memalloc(2 * MEBI, on);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error).toMatchObject({ requested: 2 * MEBI, status: 2 });
    expect((error as Error).message).toContain('a limit of 4194304 bytes');
    held.free();
    using _exact = memalloc(4 * MEBI, on);
    expect(pool.statistics()).toMatchObject({ held: 4 * MEBI, used: 4 * MEBI });
    pool.setLimit({ fraction: 0.5 });
    expect(pool.statistics().limit).toBe(Math.floor(simulated.totalMemory / 2));
    pool.setLimit(null);
    expect(pool.statistics().limit).toBeNull();
    for (const wrong of [{ bytes: -1 }, { bytes: NaN }, { fraction: 1.5 }, { fraction: -0.1 }]) {
      expect(() => pool.setLimit(wrong)).toThrow(ArgumentError);
    }
  });

  test('rule 209: memory that other managers keep is released when this one runs out of memory', () => {
    const part = Math.floor(simulated.totalMemory / 4);
    {
      using _ = freshPool().scope;
      const kept = [1, 2].map(() => empty(part, { ...on, dtype: 'uint8' }));
      for (const array of kept) array.dispose();
      expect((currentManager(simulated) as BestFitPoolMemoryManager).statistics().held).toBeGreaterThan(0);
    }
    using _ = usingMemoryManager(class extends BestFitPoolMemoryManager {});
    const arrays = [1, 2, 3].map(() => empty(part, { ...on, dtype: 'uint8' }));
    for (const array of arrays) array.dispose();
    currentManager(simulated).giveBack?.();
  });

  test('rules 180, 209: zero bytes and too many are handled', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    using empty = memalloc(0, on);
    expect(empty.pointer).toBe(0n);
    expect(() => memalloc(simulated.totalMemory * 2, on)).toThrow(OutOfMemoryError);
    expect(pool.statistics()).toMatchObject({ used: 0, held: 0 });
  });

  test("rule 187: memory info counts the pool's unused memory as free", async () => {
    const { scope } = freshPool();
    using _ = scope;
    await settle();
    const before = getMemoryInfo(simulated);
    const memory = memalloc(MEBI, on);
    expect(getMemoryInfo(simulated)).toEqual({ free: before.free - MEBI, total: before.total });
    memory.free();
    expect(getMemoryInfo(simulated)).toEqual(before);
  });

  test('rule 197: inside deferCleanup blocks still return to the pool, host memory is deferred', async () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    using _deferred = deferCleanup(simulated);
    memalloc(MEBI, on).free();
    expect(pool.statistics().used).toBe(0);
    await settle();
    const before = simulated.memoryInfo().free;
    memhostalloc(4096, on).free();
    expect(simulated.memoryInfo().free).toBeLessThanOrEqual(before);
  });

  test('rules 185, 186: after a reset, earlier pointers are silent and the pool starts again', () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    using stream = new Stream({ device: simulated });
    const memory = memalloc(MEBI, on);
    const storage = filled(MEBI, stream);
    filled(4096, stream).release();
    resetMemory(simulated);
    expect(pool.statistics()).toMatchObject({ used: 0, held: 0, slabs: 0, keptBlocks: 0 });
    memory.release();
    storage.release();
    native().drainReleases(true);
    expect(pool.statistics()).toMatchObject({ used: 0, held: 0 });
    using again = memalloc(MEBI, on);
    expect(again.freed).toBe(false);
    expect(pool.statistics().used).toBe(MEBI);
  });

  test("rule 219: random work on three streams leaves every array's bytes unchanged", () => {
    const { scope, pool } = freshPool();
    using _ = scope;
    const streams = [1, 2, 3].map(() => new Stream({ device: simulated }));
    let state = 7;
    const random = (below: number): number =>
      (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) % below;
    const live: { readonly storage: Storage; readonly value: number }[] = [];
    for (let step = 0; step < 1500; step++) {
      const stream = streams[random(3)] as Stream;
      if (live.length < 20 && random(2) === 0) {
        const value = random(256);
        const storage = Storage.allocate(simulated, 512 * (1 + random(8)), 'device', stream);
        storage.fill(0, 1, value, storage.bytes, stream);
        live.push({ storage, value });
      } else if (live.length > 0) {
        const { storage, value } = live.splice(random(live.length), 1)[0] as (typeof live)[number];
        const bytes = new Uint8Array(storage.bytes);
        storage.readToHost(0, bytes, stream);
        expect(bytes.every(byte => byte === value)).toBe(true);
        storage.release();
      }
    }
    for (const { storage } of live) storage.release();
    native().drainReleases(true);
    expect(pool.statistics().used).toBe(0);
    for (const stream of streams) stream.dispose();
  });
});

describe('async pool', () => {
  function fresh(): { readonly scope: Disposable; readonly pool: AsyncPoolMemoryManager } {
    const scope = usingMemoryManager(class extends AsyncPoolMemoryManager {});
    return { scope, pool: currentManager(simulated) as AsyncPoolMemoryManager };
  }

  test('rule 217: memory is allocated in stream order, and other streams wait for that', () => {
    const { scope } = fresh();
    using _ = scope;
    using one = new Stream({ device: simulated });
    using two = new Stream({ device: simulated });
    const storage = Storage.allocate(simulated, MEBI, 'device', one);
    expect(storage.uses().map(use => [use.stream, use.access])).toEqual([[one, 'write']]);
    storage.fill(0, 1, 5, MEBI, two);
    const bytes = new Uint8Array(2);
    storage.readToHost(MEBI - 2, bytes, two);
    expect([...bytes]).toEqual([5, 5]);
    storage.release();
  });

  test('rules 79, 217: unused memory is exported with the stream it is allocated on', () => {
    const { scope } = fresh();
    using _ = scope;
    using stream = new Stream({ device: simulated });
    using array = empty(MEBI, { dtype: 'uint8', stream });
    expect(array.__cuda_array_interface__.stream).toBe(stream.handle);
  });

  test('rules 179, 180: memalloc is immediately usable on any stream', () => {
    const { scope } = fresh();
    using _ = scope;
    using memory = memalloc(4096, on);
    expect(memory.ready).toBeNull();
    using empty = memalloc(0, on);
    expect(empty.pointer).toBe(0n);
  });

  test('rules 94, 217: memory outlives the stream it was allocated on', async () => {
    const { scope } = fresh();
    using _ = scope;
    await settle();
    const before = simulated.memoryInfo().free;
    const failures = native().releaseFailures().count;
    const stream = new Stream({ device: simulated });
    const storage = filled(MEBI, stream);
    stream.dispose();
    storage.release();
    native().drainReleases(true);
    expect(native().releaseFailures().count).toBe(failures);
    expect(simulated.memoryInfo().free).toBe(before);
  });

  test('rule 194: it cannot be shared by IPC handle, and the error says so before the driver is called', () => {
    const { scope } = fresh();
    using _ = scope;
    using memory = memalloc(4096, on);
    expect(() => getIpcHandle(memory)).toThrow(IpcError);
  });

  test('rules 186, 209: a request that is too large is a typed error, and a reset frees everything', async () => {
    const { scope } = fresh();
    using _ = scope;
    await settle();
    const before = simulated.memoryInfo().free;
    expect(() => memalloc(simulated.totalMemory * 2, on)).toThrow(OutOfMemoryError);
    const memory = memalloc(MEBI, on);
    resetMemory(simulated);
    expect(simulated.memoryInfo().free).toBe(before);
    memory.release();
  });
});
