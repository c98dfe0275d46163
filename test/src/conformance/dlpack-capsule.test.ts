import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';

import { describe, expect, test } from '@jest/globals';

import { arange, BufferError, DLPackCapsule, fromDlpack, isCapsule, zeros } from './library.ts';
import { native } from '../../../src/native/load.ts';
import { addon, collect, consume, deletionsDuring, errorOf, floats, sim } from './dlpack-support.ts';

const on = { device: sim };
const newest = { maxVersion: [1, 3] } as const;
const root = join(dirname(fileURLToPath(import.meta.url)), '..', '..', '..');

/** Runs `source` in a worker with both addons; returns the message that it posts. */
async function inWorker(source: string): Promise<unknown> {
  const preamble = `
    const { parentPort } = require('node:worker_threads');
    const addon = require(${JSON.stringify(join(root, 'build/test-addon/exchange.node'))});
    const native = require(${JSON.stringify(process.env['STRIDELAB_TEST_ADDON'] ?? join(root, 'native/build/Release/stridelab.node'))});
    const [device] = native.devices('simulated');
  `;
  const worker = new Worker(preamble + source, { eval: true });
  const message = once(worker, 'message');
  const exit = once(worker, 'exit');
  const [posted] = (await message) as [unknown];
  expect(await exit).toEqual([0]);
  return posted;
}

describe('J. the capsule', () => {
  test("rule 164: both structs have the names of Python's capsules", () => {
    const a = zeros(2, on);
    expect([a.__dlpack__().name, a.__dlpack__(newest).name]).toEqual(['dltensor', 'dltensor_versioned']);
    const capsule = a.__dlpack__();
    fromDlpack(capsule).dispose();
    expect([capsule.name, capsule.consumed]).toEqual(['used_dltensor', true]);
  });

  test('rules 165, 166: the second consumer of a capsule gets an error that names the fix', () => {
    const a = arange(3, on);
    const capsule = a.__dlpack__();
    using b = fromDlpack(capsule);
    const error = errorOf(() => fromDlpack(capsule));
    expect(error).toBeInstanceOf(BufferError);
    expect(error.message).toContain('call __dlpack__() again');
    expect(() => addon.consume(capsule)).toThrow('consumed');
    expect(b.toNested()).toEqual([0, 1, 2]);
  });

  test('rules 165, 166: a capsule that another addon consumed is consumed here too', () => {
    const capsule = arange(3, on).__dlpack__();
    consume(capsule);
    expect(capsule.consumed).toBe(true);
    expect(() => fromDlpack(capsule)).toThrow('already consumed');
  });

  test('rules 164, 227: an object without the tag is not a capsule, whatever its shape', () => {
    const fake = Object.create(DLPackCapsule.prototype) as DLPackCapsule;
    expect([isCapsule(fake), isCapsule({}), isCapsule(null), isCapsule(7n), isCapsule(zeros(1, on))]).toEqual(
      new Array(5).fill(false)
    );
    expect(errorOf(() => fromDlpack(fake)).code).toBe('ERR_ARGUMENT');
    expect(() => addon.consume(fake)).toThrow('no capsule');
    expect(() => addon.consume(zeros(1, on).storage.native)).toThrow('no capsule');
  });

  test('rule 164: native code of another addon sees a capsule of this library, before and after others asked for it', () => {
    const capsule = arange(3, on).__dlpack__(newest);
    expect([isCapsule(capsule), capsule.consumed]).toEqual([true, false]);
    capsule.__dlpack_attach__();
    capsule.__dlpack_attach__();
    expect(addon.consume(capsule)).toMatchObject({ shape: [3], version: [1, 3] });
    addon.release();
    expect([capsule.name, isCapsule(capsule)]).toEqual(['used_dltensor_versioned', true]);
    expect(() => addon.consume(capsule)).toThrow('consumed');
  });

  test('rules 164, 165: an object whose __dlpack_attach__ makes it a capsule is one', () => {
    const { dlpack } = native();
    let calls = 0;
    const other = (attach: (self: object) => void): object => ({
      __dlpack_attach__(): void {
        calls++;
        attach(this);
      }
    });
    const made = arange(3, on).__dlpack__(newest);
    const capsule = other(self => dlpack.attachCapsule(self, DLPackCapsule.nativeOf(made) as never));
    using array = fromDlpack(capsule);
    expect([array.toNested(), made.consumed, isCapsule(capsule), calls]).toEqual([[0, 1, 2], true, true, 1]);
    expect(isCapsule(other(() => undefined))).toBe(false);
    const failing = other(() => {
      throw new RangeError('no tag');
    });
    expect(() => isCapsule(failing)).toThrow(RangeError);
    expect(() => addon.consume(failing)).toThrow(RangeError);
    expect(errorOf(() => dlpack.attachCapsule({}, 0 as never)).code).toBe('ERR_ARGUMENT');
  });

  test('rule 167: a capsule that nobody took deletes its tensor when it is collected', async () => {
    await collect(); // collects objects that earlier tests dropped
    const deleted = await deletionsDuring(async () => {
      addon.produce({ shape: [1], bytes: floats(1) });
      addon.produce({ shape: [1], bytes: floats(1), external: true, versioned: false });
      await collect();
    });
    expect(deleted).toBe(2);
  });

  test('rule 167: collecting a consumed capsule deletes nothing', async () => {
    await collect();
    const deleted = await deletionsDuring(async () => {
      using a = fromDlpack(addon.produce({ shape: [1], bytes: floats(4) }));
      await collect();
      expect(a.item(0)).toBe(4);
    });
    expect(deleted).toBe(1);
  });

  test('rule 167: dispose deletes immediately, and a second dispose does nothing', () => {
    const a = zeros(2, on);
    const before = native().liveBlocks().count;
    const capsule = a.__dlpack__();
    a.dispose();
    expect(native().liveBlocks().count).toBe(before);
    capsule.dispose();
    capsule.dispose();
    expect(native().liveBlocks().count).toBe(before - 1);
    expect(capsule.consumed).toBe(false);
    expect(() => fromDlpack(capsule)).toThrow(BufferError);
  });

  test('rules 167, 230: unused capsules of this library are collected with their memory', async () => {
    await collect();
    const before = native().liveBlocks().count;
    for (let index = 0; index < 100; index++) arange(10, on).__dlpack__(newest);
    await collect();
    expect(native().liveBlocks().count).toBe(before);
  });
});

describe('J. the deleter', () => {
  test('rules 168, 170: runs once, when the last view is freed', async () => {
    const a = fromDlpack(addon.produce({ shape: [4], bytes: floats(1, 2, 3, 4) }));
    const view = a.slice('::2');
    expect(await deletionsDuring(() => a.dispose())).toBe(0);
    expect(view.toNested()).toEqual([1, 3]);
    expect(await deletionsDuring(() => view.dispose())).toBe(1);
    expect(await deletionsDuring(() => view.dispose())).toBe(0);
  });

  test('rule 168: runs once if the import fails after the tensor was taken', async () => {
    const deleted = await deletionsDuring(async () => {
      const capsule = addon.produce({ shape: [2], dtype: [77, 8, 1], bytes: floats(1) });
      expect(() => fromDlpack(capsule)).toThrow(BufferError);
      await collect();
    });
    expect(deleted).toBe(1);
  });

  test('rule 169: can be NULL', () => {
    for (const versioned of [true, false]) {
      const a = fromDlpack(addon.produce({ shape: [1], bytes: floats(6), versioned, deleter: false }));
      expect(a.item(0)).toBe(6);
      a.dispose();
    }
  });

  test('rules 96, 163: runs when the device work that uses the tensor is done', async () => {
    const deleted = await deletionsDuring(async () => {
      const a = fromDlpack(addon.produce({ shape: [64], bytes: new Uint8Array(256) }));
      a.fill(1);
      const read = a.toTypedArrayAsync();
      a.dispose();
      expect((await read)[63]).toBe(1);
      await collect();
      native().drainReleases(true);
    });
    expect(deleted).toBe(1);
  });

  test('rules 106, 167: runs for arrays that are collected', async () => {
    await collect();
    const deleted = await deletionsDuring(async () => {
      for (let index = 0; index < 20; index++) {
        fromDlpack(addon.produce({ shape: [1], bytes: floats(1) })).slice('0:');
      }
      await collect();
      native().drainReleases(true);
    });
    expect(deleted).toBe(20);
  });

  test.each([false, true])(
    'rule 171: of an export can be called on a thread without JavaScript: %s',
    onThread => {
      const a = arange(5, on);
      const before = native().liveBlocks().count;
      const tensor = addon.consume(a.__dlpack__(newest));
      a.dispose();
      expect(native().liveBlocks().count).toBe(before);
      expect(tensor.shape).toEqual([5]);
      addon.release(onThread);
      native().drainReleases(true);
      expect(native().liveBlocks().count).toBe(before - 1);
    }
  );

  test('rules 171, 172, 228: of an export can be called after its environment has ended', async () => {
    await collect();
    const before = native().liveBlocks().count;
    const posted = await inWorker(`
      const storage = native.allocate(device, 64, 'device');
      native.dlpack.fields.set([1, 1, 3, 0, 1, 0, 2, 32, 1, 1, 0], 0);
      native.dlpack.fields[16] = 16;
      native.dlpack.fields[80] = 1;
      const capsule = {};
      native.dlpack.attachCapsule(capsule, native.dlpack.exportTensor(capsule, storage.key));
      parentPort.postMessage(addon.consume(capsule).shape);
    `);
    expect(posted).toEqual([16]);
    expect(native().liveBlocks().count).toBe(before + 1);
    addon.release(true);
    expect(native().liveBlocks().count).toBe(before);
  });

  test('rules 167, 172: runs once for the capsules and arrays of an environment that ends', async () => {
    const deleted = await deletionsDuring(async () => {
      await inWorker(`
        addon.produce({ shape: [1], bytes: new Uint8Array(4) });
        const address = native.dlpack.take(addon.produce({ shape: [1], bytes: new Uint8Array(4) }));
        globalThis.kept = native.dlpack.adoptTaken(device, 'device');
        native.dlpack.take(addon.produce({ shape: [1], bytes: new Uint8Array(4) }));
        parentPort.postMessage(address > 0n);
      `);
    });
    expect(deleted).toBe(3);
  });
});
