import { setImmediate as turn } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

import { addonPath, block, collect, errorOf, loadAgain, mark, native, simulated, stream } from './support.ts';
import { pass } from '../setup/until.ts';

/** Collects until finalizers, which run between turns of the event loop, have run. */
async function collected(): Promise<void> {
  for (let round = 0; round < 4; round++) {
    collect();
    await turn();
  }
}

describe('garbage collection', () => {
  test('frees unreachable objects that were never released', async () => {
    await collected();
    const before = { live: native.liveBlocks(), free: simulated().memoryInfo().free };
    (() => {
      for (let index = 0; index < 1000; index++) {
        const on = stream();
        block(1000).fill(0, 1, 0, 1000, on);
        mark(on);
      }
    })();
    expect(native.liveBlocks().count).toBeGreaterThan(before.live.count + 900);
    await collected();
    simulated().synchronize();
    expect(native.liveBlocks().count).toBeLessThanOrEqual(before.live.count + 2);
    expect(simulated().memoryInfo().free).toBeGreaterThanOrEqual(before.free - 2000);
  });

  test('starts automatically when blocks take much memory, because V8 is informed of their bytes', async () => {
    const bytes = simulated().totalMemory / 64;
    for (let index = 0; index < 256; index++) {
      block(bytes);
      await turn();
    }
    await collected();
    expect(simulated().memoryInfo().free).toBeGreaterThan(simulated().totalMemory / 2);
  }, 60_000); // collects garbage several times, which is slow on a loaded machine

  test('collects young objects for each 16 MiB of host memory that may be garbage, and does not count releases', () => {
    native.drainReleases(true);
    const calls: boolean[] = [];
    native.setCollector(young => void calls.push(young));
    try {
      const made = Array.from({ length: 14 }, () => block(2 ** 20));
      for (let index = 0; index < 100; index++) block(2 ** 20).release();
      native.drainReleases();
      made.push(block(2 ** 20));
      expect({ calls, pending: native.pendingReleases[0] }).toEqual({ calls: [], pending: 0 });
      made.push(block(2 ** 20));
      expect(native.pendingReleases[0]).toBe(1);
      made.push(block(2 ** 20));
      expect(calls).toEqual([true]);
      expect(native.pendingReleases[0]).toBe(0);
      // 160 MiB in 64 objects or more are a reason to collect all.
      for (let index = 0; index < 160; index++) made.push(block(2 ** 20));
      expect(calls.filter(young => !young)).toEqual([false]);
      for (const storage of made) storage.release();
    } finally {
      native.setCollector(collect);
      native.drainReleases(true);
    }
  });

  test('keeps the streams that a storage uses', async () => {
    const storage = block(2 ** 20);
    const id = (() => {
      const on = stream();
      storage.writeFromHost(0, new Uint8Array(2 ** 20), on);
      return on.id;
    })();
    await collected();
    expect(storage.uses()[0]?.stream.id).toBe(id);
  });

  test('a synchronous loop with releases stays in bounded memory', () => {
    const before = native.liveBlocks();
    for (let index = 0; index < 20_000; index++) {
      const storage = block(2 ** 20);
      storage.fill(0, 1, 0, 8, simulated().legacyStream());
      storage.release();
    }
    expect(native.liveBlocks()).toEqual(before);
    simulated().synchronize();
    expect(simulated().memoryInfo().free).toBeGreaterThan(simulated().totalMemory / 2);
  });
});

describe('type tags', () => {
  test('refuse objects of another class, look-alikes and objects with a copied prototype', () => {
    const [on, storage, event] = [stream(), block(8), mark(stream())];
    const impostors = [
      storage,
      event,
      simulated(),
      { ...on },
      Object.create(on),
      new Proxy(on, {}),
      null,
      undefined,
      1n
    ];
    for (const impostor of impostors) {
      expect(errorOf(() => storage.prepare(impostor as never, 'read')).kind).toBe('argument');
    }
    for (const impostor of [event, storage, {}, null]) {
      expect(errorOf(() => storage.notePending(impostor as never)).kind).toBe('argument');
      expect(errorOf(() => on.waitForStream(impostor as never)).kind).toBe('argument');
    }
    expect(errorOf(() => native.allocate(on as never, 8, 'device')).kind).toBe('argument');
  });

  test('methods refuse a receiver of another class', () => {
    const [on, storage] = [stream(), block(8)];
    const method = (Object.getPrototypeOf(on) as typeof on).query;
    for (const receiver of [storage, {}, Object.create(on), undefined]) {
      expect(() => method.call(receiver as never)).toThrow(/Illegal invocation/);
    }
    const accessor = Object.getOwnPropertyDescriptor(Object.getPrototypeOf(storage), 'pointer')?.get as
      (() => bigint) | undefined;
    for (const receiver of [on, {}, Object.create(storage), undefined]) {
      expect(() => accessor?.call(receiver)).toThrow(/Illegal invocation/);
    }
  });

  test('classes cannot be constructed from JavaScript', () => {
    for (const object of [stream(), block(8), mark(stream()), simulated()]) {
      const constructor = object.constructor as new (...values: unknown[]) => object;
      expect(errorOf(() => new constructor()).kind).toBe('argument');
      expect(errorOf(() => new constructor(object)).kind).toBe('argument');
    }
  });
});

describe('several loads', () => {
  test('in one thread share devices and accept each other’s objects', () => {
    const other = loadAgain();
    const [device] = other.devices('simulated');
    if (device === undefined) throw new Error('no device');
    expect(device).not.toBe(simulated());
    expect(device.uuid).toBe(simulated().uuid);
    const storage = other.allocate(device, 8, 'device');
    expect(native.liveBlocks()).toEqual(other.liveBlocks());
    const on = stream();
    storage.fill(0, 1, 5, 8, on);
    const target = new Uint8Array(8);
    storage.readToHost(0, target, device.legacyStream());
    expect([...target]).toEqual([5, 5, 5, 5, 5, 5, 5, 5]);
    expect(storage.uses()[0]?.stream.handle).toBe(1n);
  });

  test('have separate error factories', () => {
    const other = loadAgain();
    other.setErrorFactory(info => new RangeError(`other: ${info.kind}`));
    expect(() => other.createEvent(null as never, true)).toThrow('other: argument');
    expect(errorOf(() => native.createEvent(null as never, true)).kind).toBe('argument');
  });

  test('on a worker thread work and end with it, whatever is still alive', async () => {
    await collected();
    const before = native.liveBlocks().count;
    const code = `
      const { parentPort } = require('node:worker_threads');
      const native = require(${JSON.stringify(addonPath)});
      const [device] = native.devices('simulated');
      const own = device.perThreadStream();
      const left = Array.from({ length: 10 }, () => native.allocate(device, 1 << 20, 'device'));
      for (const storage of left) storage.writeFromHost(0, new Uint8Array(1 << 20), own);
      parentPort.postMessage({ uuid: device.uuid, busy: !own.query(), live: native.liveBlocks().count });
      left[0].readToHostAsync(0, new Uint8Array(8), own);
    `;
    const worker = new Worker(code, { eval: true });
    const ended = new Promise(resolve => worker.once('exit', resolve));
    const message = await new Promise((resolve, reject) => {
      worker.once('message', resolve);
      worker.once('error', reject);
    });
    expect(message).toEqual({ uuid: simulated().uuid, busy: true, live: before + 10 });
    expect(await ended).toBe(0);
    expect(native.liveBlocks().count).toBe(before);
    simulated().synchronize();
    expect(simulated().perThreadStream().query()).toBe(true);
  });

  test('on a worker thread can be terminated at any moment', async () => {
    const code = `
      const native = require(${JSON.stringify(addonPath)});
      const [device] = native.devices('simulated');
      require('node:worker_threads').parentPort.postMessage('started');
      for (;;) {
        const on = native.createStream(device, { blocking: true, priority: 0 });
        const storage = native.allocate(device, 4096, 'device');
        storage.writeFromHost(0, new Uint8Array(4096), on);
        storage.readToHostAsync(0, new Uint8Array(4096), on);
      }
    `;
    const worker = new Worker(code, { eval: true, resourceLimits: { maxOldGenerationSizeMb: 256 } });
    await new Promise(resolve => worker.once('message', resolve));
    await pass(100, 'the worker must be inside its loop');
    await worker.terminate();
    simulated().synchronize();
    expect(stream().query()).toBe(true);
  });
});
