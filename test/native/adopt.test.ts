import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import type { NativeDevice } from '../../src/native/binding.ts';
import { addonPath, block, collect, errorOf, native, settle, simulated, stream } from './support.ts';

const MEBI = 2 ** 20;

/** Adopted driver memory, as a manager provides it, with the number of its releases. */
function lent(bytes = MEBI, device: NativeDevice = simulated()) {
  const pointer = native.raw.memAlloc(device, bytes);
  const state = { pointer, released: 0 };
  const storage = native.adopt(device, pointer, bytes, 'device', () => {
    state.released++;
    native.raw.memFree(device, pointer);
  });
  return { state, storage };
}

beforeEach(settle);

describe('adopted memory', () => {
  test('rules 96, 211: is released once, immediately if nothing uses it', () => {
    const { state, storage } = lent();
    expect(storage.pointer).toBe(state.pointer);
    expect(storage.bytes).toBe(MEBI);
    storage.release();
    storage.release();
    expect(state.released).toBe(1);
    expect(native.pendingReleases[0]).toBe(0);
  });

  test('rules 96, 163, 232: is released after the device work that uses it', () => {
    const { state, storage } = lent();
    const on = stream();
    storage.writeFromHost(0, new Uint8Array(MEBI), on);
    storage.release();
    expect(native.drainReleases()).toBe(0);
    expect(state.released).toBe(0);
    on.synchronize();
    expect(native.drainReleases()).toBe(1);
    expect(state.released).toBe(1);
  });

  test('rule 96: waits for every stream that used it', () => {
    const { state, storage } = lent();
    const [first, second] = [stream(), stream()];
    storage.writeFromHost(0, new Uint8Array(MEBI), first);
    storage.fill(0, 1, 0, MEBI, second);
    storage.release();
    first.synchronize();
    expect(native.drainReleases()).toBe(0);
    second.synchronize();
    expect(native.drainReleases()).toBe(1);
    expect(state.released).toBe(1);
  });

  test('rule 209: drainReleases can wait for what is in use', () => {
    const { state, storage } = lent();
    storage.writeFromHost(0, new Uint8Array(MEBI), stream());
    storage.release();
    expect(native.drainReleases(true)).toBe(1);
    expect(state.released).toBe(1);
  });

  test('rule 96: is released in a turn of the event loop if nobody drains', async () => {
    const { state, storage } = lent();
    storage.writeFromHost(0, new Uint8Array(MEBI), stream());
    storage.release();
    for (let turns = 0; turns < 100 && state.released === 0; turns++) await turn();
    expect(state.released).toBe(1);
  });

  test('rules 100, 210: errors of a release are counted, and the other releases still run', () => {
    const before = native.releaseFailures().count;
    const failure = new Error('broken manager');
    const { state, storage } = lent();
    const broken = native.adopt(simulated(), storage.pointer, 8, 'device', () => {
      throw failure;
    });
    broken.release();
    storage.release();
    expect(state.released).toBe(1);
    expect(native.releaseFailures()).toEqual({ count: before + 1, last: failure });
  });

  test('rule 224: a release can allocate and drain', () => {
    const order: string[] = [];
    const { storage } = lent();
    const outer = native.adopt(simulated(), storage.pointer, 8, 'device', () => {
      order.push('outer');
      const inner = native.adopt(simulated(), storage.pointer, 8, 'device', () => order.push('inner'));
      inner.release();
      native.drainReleases();
    });
    outer.release();
    expect(order).toEqual(['outer', 'inner']);
    storage.release();
  });

  test('rules 22, 54: host memory unknown to the simulated device becomes known when adopted, and is forgotten afterwards', () => {
    const memory = native.raw.memHostAlloc(simulated(), 64, {
      mapped: true,
      portable: false,
      writeCombined: false
    });
    native.raw.memFreeHost(simulated(), memory.host);
    const host = new Uint8Array(native.raw.hostBuffer(block(64).pointer, 64, simulated()));
    expect(host).toHaveLength(64);
    const source = block(64);
    const view = native.adopt(simulated(), source.pointer + 16n, 32, 'device', null);
    view.fill(0, 1, 9, 32, simulated().legacyStream());
    const read = new Uint8Array(64);
    source.readToHost(0, read, simulated().legacyStream());
    expect([read[15], read[16], read[47], read[48]].slice(1, 3)).toEqual([9, 9]);
    view.release();
    expect(simulated().pointerAttributes(source.pointer)?.rangeBytes).toBe(64);
  });

  test('an empty block and a null release are allowed, wrong arguments are not', () => {
    let released = 0;
    native.adopt(simulated(), 0n, 0, 'device', () => released++).release();
    expect(released).toBe(1);
    native.adopt(simulated(), 0n, 0, 'device', null).release();
    const { storage } = lent(8);
    expect(errorOf(() => native.adopt(simulated(), 8 as never, 8, 'device', null)).kind).toBe('argument');
    expect(errorOf(() => native.adopt(simulated(), storage.pointer, -1, 'device', null)).kind).toBe(
      'argument'
    );
    expect(errorOf(() => native.adopt(simulated(), storage.pointer, 8, 'device', 5 as never)).kind).toBe(
      'argument'
    );
    storage.release();
  });
});

describe('a synchronous loop of temporaries', () => {
  test('rule 230: is bounded without a dispose, for memory of this library', () => {
    collect();
    const before = simulated().memoryInfo().free;
    let most = 0;
    for (let index = 0; index < 3000; index++) {
      block(MEBI).fill(0, 1, 0, 8, simulated().legacyStream());
      most = Math.max(most, before - simulated().memoryInfo().free);
    }
    expect(most).toBeLessThan(256 * MEBI);
  });

  test('rules 230, 231: is bounded for adopted memory, whose releases never run inside the collector', () => {
    collect();
    let inside = false;
    let [live, most, released] = [0, 0, 0];
    for (let index = 0; index < 3000; index++) {
      if ((native.pendingReleases[0] ?? 0) > 0) native.drainReleases();
      const pointer = native.raw.memAlloc(simulated(), MEBI);
      inside = true;
      native.adopt(simulated(), pointer, MEBI, 'device', () => {
        expect(inside).toBe(false);
        released++;
        live--;
        native.raw.memFree(simulated(), pointer);
      });
      inside = false;
      most = Math.max(most, ++live);
    }
    expect(most).toBeLessThan(256);
    expect(released).toBeGreaterThan(2500);
    collect();
    native.drainReleases(true);
    expect(live).toBeLessThanOrEqual(1);
  });
});

describe('an environment that ends', () => {
  /** Runs code on a worker that has `native` and `device`, and waits until it exits. */
  async function onWorker(code: string, data?: unknown): Promise<unknown> {
    const source = `
      const { parentPort, workerData } = require('node:worker_threads');
      const native = require(${JSON.stringify(addonPath)});
      const [device] = native.devices('simulated');
      ${code}`;
    const worker = new Worker(source, { eval: true, workerData: data });
    const ended = new Promise(resolve => worker.once('exit', resolve));
    let message: unknown;
    worker.on('message', (value: unknown) => (message = value));
    await ended;
    return message;
  }

  test('rules 103, 104, 172: leaves no driver memory of its managers behind', async () => {
    settle();
    const before = simulated().memoryInfo().free;
    await onWorker(`
      globalThis.kept = [];
      for (let index = 0; index < 5; index++) {
        const pointer = native.raw.memAlloc(device, 1 << 20);
        kept.push(native.adopt(device, pointer, 1 << 20, 'device', () => native.raw.memFree(device, pointer)));
      }
      native.raw.memAlloc(device, 1 << 20);
      parentPort.postMessage('done');`);
    simulated().synchronize();
    expect(simulated().memoryInfo().free).toBe(before);
  });

  test('rule 228: passes a block on, and the block outlives it', async () => {
    settle();
    const before = simulated().memoryInfo().free;
    const token = (await onWorker(`
      const pointer = native.raw.memAlloc(device, 1 << 20);
      const storage = native.adopt(device, pointer, 1 << 20, 'device', () => native.raw.memFree(device, pointer));
      storage.fill(0, 1, 42, 1 << 20, device.perThreadStream());
      parentPort.postMessage(storage.share());`)) as bigint;
    expect(simulated().memoryInfo().free).toBe(before - MEBI);
    const storage = native.claim(token);
    const [byte] = [new Uint8Array(1)];
    storage.readToHost(MEBI - 1, byte, simulated().legacyStream());
    expect(byte[0]).toBe(42);
    storage.release();
    simulated().synchronize();
    expect(simulated().memoryInfo().free).toBe(before);
  });

  test('rules 106, 228: takes over a block with a token that works once', async () => {
    const storage = block(64);
    storage.fill(0, 1, 7, 64, simulated().perThreadStream());
    const token = storage.share();
    expect(storage.uses().map(use => use.stream.handle)).not.toContain(2n);
    const message = await onWorker(
      `const storage = native.claim(workerData);
       const bytes = new Uint8Array(64);
       storage.readToHost(0, bytes, device.legacyStream());
       let again = 'none';
       try { native.claim(workerData); } catch (error) { again = error.kind; }
       parentPort.postMessage({ first: bytes[63], again });`,
      token
    );
    expect(message).toEqual({ first: 7, again: 'argument' });
    expect(errorOf(() => native.claim(token)).kind).toBe('argument');
    expect(errorOf(() => native.claim(0n)).kind).toBe('argument');
    storage.release();
  });
});

describe('memory calls for managers', () => {
  test('rules 179, 181, 215: each kind is allocated and freed', () => {
    const device = simulated();
    const before = device.memoryInfo().free;
    const on = stream();
    const asynchronous = native.raw.memAllocAsync(device, 1000, on);
    const managed = native.raw.memAllocManaged(device, 1000, false);
    const host = native.raw.memHostAlloc(device, 1000, { mapped: true, portable: true, writeCombined: true });
    const unmapped = native.raw.memHostAlloc(device, 1000, {
      mapped: false,
      portable: false,
      writeCombined: false
    });
    expect(host.device).toBe(host.host);
    expect(unmapped.device).toBeNull();
    expect(device.pointerAttributes(managed)?.managed).toBe(true);
    expect(device.memoryInfo().free).toBe(before - 2000);
    native.raw.memFreeAsync(device, asynchronous, on);
    native.raw.memFree(device, managed);
    native.raw.memFreeHost(device, host.host);
    native.raw.memFreeHost(device, unmapped.host);
    expect(device.memoryInfo().free).toBe(before);
    expect(errorOf(() => native.raw.memFree(device, managed))).toMatchObject({
      kind: 'driver',
      call: 'cuMemFree'
    });
    expect(errorOf(() => native.raw.memAlloc(device, 2 ** 50))).toMatchObject({ status: 2 });
  });

  test('rules 182, 183: host memory is pinned and unpinned immediately', () => {
    const device = simulated();
    const storage = native.allocate(device, 64, 'pinned');
    expect(native.raw.memHostRegister(device, storage.pointer, 64, true)).toBe(storage.pointer);
    native.raw.memHostUnregister(device, storage.pointer);
    expect(errorOf(() => native.raw.memHostUnregister(device, storage.pointer)).statusName).toBe(
      'CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED'
    );
    storage.release();
  });

  test('rule 217: the pool accepts a threshold and can be trimmed', () => {
    native.raw.poolSetReleaseThreshold(simulated(), 2n ** 64n - 1n);
    native.raw.poolTrim(simulated(), 0);
  });

  test('rule 194: memory that no other process can open is refused', () => {
    const storage = native.allocate(simulated(), 64, 'managed');
    expect(errorOf(() => native.raw.ipcMemHandle(simulated(), storage.pointer)).statusName).toBe(
      'CUDA_ERROR_INVALID_VALUE'
    );
    expect(errorOf(() => native.raw.ipcOpen(simulated(), new Uint8Array(63))).kind).toBe('argument');
    storage.release();
  });

  test('rules 106, 212: a buffer over pinned memory keeps its owner', async () => {
    const owner = { memory: native.allocate(simulated(), 64, 'pinned') };
    const gone = new FinalizationRegistry<string>(() => (collected = true));
    let collected = false;
    gone.register(owner, 'owner');
    let buffer: Uint8Array | undefined = new Uint8Array(
      native.raw.hostBuffer(owner.memory.pointer, 64, owner)
    );
    buffer.fill(3);
    for (let round = 0; round < 4; round++) {
      collect();
      await turn();
    }
    expect(collected).toBe(false);
    expect(buffer[63]).toBe(3);
    buffer = undefined;
    expect(native.raw.hostBuffer(0n, 0, owner).byteLength).toBe(0);
  });
});
