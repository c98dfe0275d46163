/** The default manager on the simulated device: deferred frees, host memory, out of memory, reset. */

import { FreedError, MemoryManagerError, OutOfMemoryError } from '../../../src/base/errors.ts';
import {
  currentManager,
  DefaultCUDAMemoryManager,
  deferCleanup,
  getMemoryInfo,
  memalloc,
  memallocmanaged,
  memhostalloc,
  mempin,
  resetMemory,
  usingMemoryManager
} from '../../../src/memory/index.ts';
import { look } from '../../../src/core/look.ts';
import { empty, Stream, type NDArray } from '../../../src/index.ts';
import { KeyedObject } from '../../../src/native/keyed-object.ts';
import { native } from '../../../src/native/load.ts';
import { DeviceOnlyPlugin, MEBI, simulated } from './plugins.ts';
import { settle } from './settle.ts';
import { skipUnderPlugin } from './skip.ts';

const on = { device: simulated } as const;
const free = (): number => simulated.memoryInfo().free;

/** A separate instance for each test. */
function fresh(): { readonly scope: Disposable; readonly manager: DefaultCUDAMemoryManager } {
  const scope = usingMemoryManager(class extends DefaultCUDAMemoryManager {});
  return { scope, manager: currentManager(simulated) as DefaultCUDAMemoryManager };
}

skipUnderPlugin('rules 200, 221: the default manager is in force when nothing else was set', () => {
  expect(currentManager(simulated).constructor).toBe(DefaultCUDAMemoryManager);
});

describe('device memory', () => {
  test('rule 179: memalloc returns memory of the context, of the requested size', () => {
    const { scope } = fresh();
    using _ = scope;
    using memory = memalloc(1000, on);
    expect(memory).toMatchObject({ size: 1000, context: simulated, freed: false, kind: 'device' });
    expect(simulated.native.pointerAttributes(memory.pointer)?.memoryType).toBe('device');
  });

  test('rule 180: zero bytes are the null pointer, and no driver call', async () => {
    const { scope, manager } = fresh();
    using _ = scope;
    await settle();
    const before = free();
    using memory = memalloc(0, on);
    expect(memory).toMatchObject({ pointer: 0n, size: 0 });
    expect(free()).toBe(before);
    memory.release();
    expect(manager.pending.count).toBe(0);
  });

  test.each([-1, 1.5, NaN, 2 ** 53])('rule 225: %p bytes are refused', size => {
    expect(() => memalloc(size, on)).toThrow(/expected a number of bytes/);
  });

  test('rule 207: frees are deferred until more than ten are pending', async () => {
    const { scope, manager } = fresh();
    using _ = scope;
    await settle();
    const before = free();
    const blocks = Array.from({ length: 11 }, () => memalloc(1024, on));
    for (const block of blocks.slice(0, 10)) block.release();
    expect(manager.pending).toMatchObject({ count: 10, bytes: 10240 });
    blocks[10]?.release();
    expect(manager.pending.count).toBe(0);
    expect(free()).toBe(before);
  });

  test('rules 207, 208: one free of more than a fifth of the device runs immediately', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    memalloc(Math.ceil(simulated.totalMemory * 0.21), on).release();
    expect(manager.pending.count).toBe(0);
    memalloc(1024, on).release();
    expect(manager.pending.count).toBe(1);
  });

  test('rules 196, 198: nothing is freed inside deferCleanup, which nests; leaving it frees the excess', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    const outer = deferCleanup(simulated);
    const inner = deferCleanup(simulated);
    for (let i = 0; i < 20; i++) memalloc(1024, on).release();
    inner[Symbol.dispose]();
    expect(manager.pending.count).toBe(20);
    outer[Symbol.dispose]();
    expect(manager.pending.count).toBe(0);
  });

  test('rule 209: out of memory runs pending frees and tries again', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    const part = Math.floor(simulated.totalMemory * 0.15);
    memalloc(part, on).release();
    expect(manager.pending.count).toBe(1);
    using whole = memalloc(simulated.totalMemory - Math.floor(part / 2), on);
    expect(whole.freed).toBe(false);
    expect(manager.pending.count).toBe(0);
  });

  test('rule 209: an impossible request is a typed error with advice and the cause', async () => {
    const { scope } = fresh();
    using _ = scope;
    await settle();
    const before = free();
    const bytes = simulated.totalMemory + 1;
    let error: unknown;
    try {
      memalloc(bytes, on);
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toBeInstanceOf(OutOfMemoryError);
    expect(error).toMatchObject({
      code: 'ERR_DRIVER',
      requested: bytes,
      statusName: 'CUDA_ERROR_OUT_OF_MEMORY',
      cause: { status: 2 }
    });
    expect((error as Error).message).toContain('dispose arrays');
    expect(free()).toBe(before);
  });

  test("rule 187: memory info is the driver's", () => {
    const { scope } = fresh();
    using _ = scope;
    expect(getMemoryInfo(simulated)).toEqual(simulated.memoryInfo());
  });

  test('rules 215, 216: managed memory is offered in addition to the proposal', () => {
    const { scope } = fresh();
    using _ = scope;
    using memory = memallocmanaged(4096, on);
    expect(memory.size).toBe(4096);
    expect(simulated.native.pointerAttributes(memory.pointer)?.managed).toBe(true);
    using empty = memallocmanaged(0, on);
    expect(empty.pointer).toBe(0n);
  });
});

describe('arrays', () => {
  const BYTES = 4096;
  const made = (stream: Stream, bytes = BYTES): NDArray => empty(bytes, { dtype: 'uint8', stream });
  /** Disposes an array that work of its stream may still use; returns its address. */
  function dropped(array: NDArray): bigint {
    const { pointer } = array.fill(1);
    array.dispose();
    return pointer;
  }

  test('reuse memory of their size and stream whose free is pending, in the order of the stream', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    using stream = new Stream(on);
    const pointer = dropped(made(stream));
    expect(manager.pending).toMatchObject({ count: 1, bytes: BYTES });
    expect(manager.segments()).toMatchObject([{ pointer, blocks: [{ state: 'kept' }] }]);
    using again = made(stream);
    expect(again.pointer).toBe(pointer);
    expect(again.storage.soleStream).toBe(stream);
    expect(manager.pending).toMatchObject({ count: 0, bytes: 0 });
    expect(manager.segments()).toMatchObject([{ pointer, blocks: [{ state: 'used' }] }]);
  });

  test('take the memory that was freed last', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    using stream = new Stream(on);
    const arrays = [made(stream), made(stream)];
    const [, last] = arrays.map(dropped);
    using again = made(stream);
    expect(again.pointer).toBe(last);
    expect(manager.pending.count).toBe(1);
  });

  test('of another size or stream, and memory without arrays, get other memory', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    using stream = new Stream(on);
    using other = new Stream(on);
    const pointer = dropped(made(stream));
    using larger = made(stream, BYTES + 1);
    using elsewhere = made(other);
    using plain = memalloc(BYTES, on);
    expect([larger.pointer, elsewhere.pointer, plain.pointer]).not.toContain(pointer);
    expect(manager.pending.count).toBe(1);
  });

  test('of any stream reuse memory that several used, and wait for them on the device', () => {
    const { scope } = fresh();
    using _ = scope;
    using first = new Stream(on);
    using second = new Stream(on);
    using third = new Stream(on);
    const array = made(first).fill(1);
    array.fill(2, { stream: second });
    const { pointer } = array;
    array.dispose();
    const waits = third.native.waits;
    using again = made(third);
    expect(again.pointer).toBe(pointer);
    expect(third.native.waits).toBeGreaterThan(waits);
  });

  test('do not reuse memory that a consumer still holds, or that another process may have opened', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    using stream = new Stream(on);
    const exported = made(stream);
    using capsule = exported.__dlpack__();
    const held = dropped(exported);
    expect(manager.pending.count).toBe(0);
    const memory = manager.memallocAsync(BYTES, stream);
    manager.getIpcHandle(memory);
    const storage = native().adopt(simulated.native, memory.pointer, BYTES, 'device', () => memory.release());
    memory.block?.give(new KeyedObject(storage), stream);
    using again = made(stream);
    expect([held, memory.pointer]).not.toContain(again.pointer);
    expect(memory.freed).toBe(true);
    expect(capsule.consumed).toBe(false);
  });

  test('of an inspection leave the pending memory to later arrays', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    using stream = new Stream(on);
    const pointer = dropped(made(stream));
    look(() => made(stream).dispose());
    expect(manager.pending.count).toBeGreaterThan(0);
    using again = made(stream);
    expect(again.pointer).toBe(pointer);
  });

  test('are freed with the other pending frees, and by a reset', async () => {
    const { scope, manager } = fresh();
    using _ = scope;
    await settle();
    const before = free();
    using stream = new Stream(on);
    for (const array of Array.from({ length: 11 }, (_, more) => made(stream, BYTES + more))) dropped(array);
    stream.synchronize();
    await settle();
    manager.giveBack();
    expect(manager.pending.count).toBe(0);
    expect(free()).toBe(before);
    dropped(made(stream));
    resetMemory(simulated);
    expect(manager.pending.count).toBe(0);
    expect(free()).toBe(before);
    using again = made(stream);
    expect(again.freed).toBe(false);
  });

  test('without elements need no memory', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    using stream = new Stream(on);
    made(stream, 0).dispose();
    expect(manager.pending.count).toBe(0);
  });
});

describe('reset', () => {
  test('rules 185, 186: frees everything, pending or not, and late finalizers are silent', async () => {
    const { scope, manager } = fresh();
    using _ = scope;
    await settle();
    const before = free();
    const live = memalloc(MEBI, on);
    memalloc(MEBI, on).release();
    const host = memhostalloc(4096, on);
    resetMemory(simulated);
    expect(free()).toBe(before);
    live.release();
    host.release();
    expect(manager.pending.count).toBe(0);
    resetMemory(simulated);
    using again = memalloc(MEBI, on);
    expect(again.freed).toBe(false);
  });

  test('rule 184: initialize can be called again and keeps the state', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    using held = memalloc(16, on);
    memalloc(1024, on).release();
    manager.initialize();
    expect(manager.pending.count).toBe(1);
    expect(held.freed).toBe(false);
  });
});

describe('host memory', () => {
  test('rules 181, 212: mapped memory has a host and a device address, and a buffer', () => {
    const { scope } = fresh();
    using _ = scope;
    using memory = memhostalloc(4096, { ...on, mapped: true, portable: true, wc: true });
    expect(memory.size).toBe(4096);
    expect(memory.kind).toBe('pinned');
    expect(memory.hostPointer).toBeGreaterThan(0n);
    expect(memory.pointer).toBeGreaterThan(0n);
    expect(memory.buffer.byteLength).toBe(4096);
    expect(memory.buffer).toBe(memory.buffer);
  });

  test('rules 181, 212: pinned memory is a buffer that JavaScript reads and writes', () => {
    const { scope } = fresh();
    using _ = scope;
    using memory = memhostalloc(64, on);
    const numbers = new Float64Array(memory.buffer);
    numbers.fill(2.5);
    expect(new Float64Array(memory.buffer)[7]).toBe(2.5);
    expect('hostPointer' in memory).toBe(false);
  });

  test('rules 211, 212: freeing detaches the buffer, and freeing twice is an error', () => {
    const { scope } = fresh();
    using _ = scope;
    const memory = memhostalloc(64, on);
    const { buffer } = memory;
    memory.free();
    expect(buffer.byteLength).toBe(0);
    expect(() => memory.buffer).toThrow(FreedError);
    expect(() => memory.free()).toThrow(FreedError);
    memory.release();
    const mapped = memhostalloc(64, { ...on, mapped: true });
    const view = mapped.buffer;
    mapped.free();
    expect(view.byteLength).toBe(0);
    expect(() => mapped.buffer).toThrow(FreedError);
  });

  test('rule 180: zero bytes are an empty buffer', () => {
    const { scope } = fresh();
    using _ = scope;
    using pinned = memhostalloc(0, on);
    using mapped = memhostalloc(0, { ...on, mapped: true });
    expect([pinned.buffer.byteLength, mapped.buffer.byteLength]).toEqual([0, 0]);
    expect([pinned.pointer, mapped.pointer]).toEqual([0n, 0n]);
  });

  test('rules 182, 183: pinning keeps the owner alive, and unpinning is not queued', () => {
    const { scope, manager } = fresh();
    using _ = scope;
    const owner = { name: 'owner' };
    using host = hostRegion();
    const unpinAgain = (): void => native().raw.memHostUnregister(simulated.native, host.pointer);
    for (const mapped of [true, false]) {
      const pinned = mempin(owner, host.pointer, host.size, { ...on, mapped });
      expect(pinned).toMatchObject({ owner, size: host.size, freed: false });
      expect('hostPointer' in pinned).toBe(mapped);
      pinned.release();
      expect(unpinAgain).toThrow();
      expect(manager.pending.count).toBe(0);
    }
  });

  test('rule 183: unpinning is not deferred by deferCleanup either', () => {
    const { scope } = fresh();
    using _ = scope;
    using host = hostRegion();
    using _deferred = deferCleanup(simulated);
    mempin(null, host.pointer, host.size, on).release();
    expect(() => native().raw.memHostUnregister(simulated.native, host.pointer)).toThrow();
  });

  test('rule 226: a bare number is not accepted as an address', () => {
    expect(() => mempin(null, 4096 as unknown as bigint, 8, on)).toThrow(/expected a bigint/);
  });

  test('rule 208: under a plugin for device memory, host frees are deferred up to a fifth of the device too', () => {
    class Plugin extends DeviceOnlyPlugin {}
    using _ = usingMemoryManager(Plugin);
    const manager = currentManager(simulated) as DeviceOnlyPlugin;
    expect(manager.pendingHost.capacity).toBe(simulated.totalMemory);
    memhostalloc(4096, on).release();
    expect(manager.pendingHost.bytes).toBe(4096);
  });

  test("rule 208: a plugin that cannot report its memory says so with one error, and the device's memory is used instead", () => {
    class Secretive extends DeviceOnlyPlugin {
      override getMemoryInfo(): never {
        throw new MemoryManagerError('Secretive does not count');
      }
    }
    using _ = usingMemoryManager(Secretive);
    const manager = currentManager(simulated) as DeviceOnlyPlugin;
    expect(manager.pendingHost.capacity).toBe(simulated.totalMemory);
    expect(() => getMemoryInfo(simulated)).toThrow(MemoryManagerError);
  });
});

/** Existing host memory; JavaScript cannot get the address of a typed array's pages. */
function hostRegion(): { readonly pointer: bigint; readonly size: number } & Disposable {
  const { raw } = native();
  const options = { mapped: false, portable: false, writeCombined: false };
  const { host } = raw.memHostAlloc(simulated.native, 16384, options);
  return {
    pointer: host,
    size: 4096,
    [Symbol.dispose]: () => raw.memFreeHost(simulated.native, host)
  };
}
