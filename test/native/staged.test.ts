import { Worker } from 'node:worker_threads';

import type { NativeStorage } from '../../src/native/binding.ts';
import { block, errorOf, native, simulated, stream } from './support.ts';

const KIBI = 2 ** 10;
const MEBI = 2 ** 20;
const on = stream();
const staging = native.allocate(simulated(), 4 * MEBI, 'pinned');

/** Bytes that differ between the pieces and slots of a copy. */
function pattern(bytes: number, seed = 1): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + seed, 2654435761);
  return new Uint8Array(words.buffer, 0, bytes);
}

/** What is wrong with the bytes; comparing large arrays with `toEqual` takes seconds. */
const difference = (found: Uint8Array, expected: Uint8Array): number => Buffer.compare(found, expected);

function readBack(storage: NativeStorage): Uint8Array {
  const target = new Uint8Array(storage.bytes);
  storage.readToHost(0, target, on);
  return target;
}

describe('staged copies', () => {
  test.each([
    ['nothing', 0],
    ['one byte', 1],
    ['fewer bytes than parts of a piece', 5],
    ['one piece', 512 * KIBI],
    ['one piece and three bytes', 512 * KIBI + 3],
    ['all slots', 4 * MEBI],
    ['all slots, less one byte', 4 * MEBI - 1],
    ['slots used several times', 11 * MEBI + 7],
    ['larger pieces', 33 * MEBI + 1]
  ])('of %s keep every byte', (_, bytes) => {
    const storage = block(Math.max(bytes, 1));
    const source = pattern(bytes);
    storage.writeStaged(0, source, on, staging);
    const target = new Uint8Array(bytes);
    storage.readStaged(0, target, on, staging);
    expect(difference(target, source)).toBe(0);
    if (bytes > 0) expect(difference(readBack(storage), source)).toBe(0);
    storage.release();
  });

  test('change only the bytes of their range, at any alignment', () => {
    const storage = block(6 * MEBI);
    storage.fill(0, 1, 7, storage.bytes, on);
    const bytes = 5 * MEBI + 13;
    const source = new Uint8Array(pattern(bytes + 3).buffer, 3, bytes);
    storage.writeStaged(101, source, on, staging);
    const expected = new Uint8Array(storage.bytes).fill(7);
    expected.set(source, 101);
    expect(difference(readBack(storage), expected)).toBe(0);
    const around = new Uint8Array(bytes + 70).fill(9);
    storage.readStaged(101, around.subarray(5, 5 + bytes), on, staging);
    const wanted = new Uint8Array(around.length).fill(9);
    wanted.set(source, 5);
    expect(difference(around, wanted)).toBe(0);
  });

  test('read the source at the time of the call, and share staging memory with copies on other streams', () => {
    const streams = [on, stream(), stream()];
    const storages = streams.map(() => block(9 * MEBI));
    const sources = streams.map((_, index) => pattern(9 * MEBI, index));
    for (const [index, storage] of storages.entries()) {
      const source = sources[index]!.slice();
      storage.writeStaged(0, source, streams[index]!, staging);
      source.fill(0);
    }
    for (const [index, storage] of storages.entries()) {
      const target = new Uint8Array(storage.bytes);
      storage.readStaged(0, target, streams[(index + 1) % 3]!, staging);
      expect(difference(target, sources[index]!)).toBe(0);
    }
  });

  test('refuse staging memory that is too small or not pinned, and ranges outside the storage', () => {
    const storage = block(8 * MEBI);
    const bytes = new Uint8Array(8 * MEBI);
    const small = native.allocate(simulated(), 4 * MEBI - 1, 'pinned');
    for (const wrong of [small, block(8 * MEBI)]) {
      expect(errorOf(() => storage.writeStaged(0, bytes, on, wrong))).toMatchObject({
        kind: 'argument',
        message: 'staging memory must be at least 4194304 bytes of pinned memory'
      });
      expect(errorOf(() => storage.readStaged(0, bytes, on, wrong)).kind).toBe('argument');
    }
    expect(errorOf(() => storage.writeStaged(1, bytes, on, staging)).kind).toBe('bounds');
    expect(errorOf(() => storage.readStaged(1, bytes, on, staging)).kind).toBe('bounds');
  });
});

describe('an interrupt of a staged copy', () => {
  const flag = new Int32Array(new SharedArrayBuffer(4));
  beforeEach(() => {
    native.setInterruptFlag(flag);
  });
  afterEach(() => {
    native.setInterruptFlag(null);
    Atomics.store(flag, 0, 0);
  });

  const storage = block(32 * MEBI);
  const source = pattern(32 * MEBI);
  const target = new Uint8Array(32 * MEBI);
  const copies = [
    ['to the device', () => storage.writeStaged(0, source, on, staging)],
    ['to the host', () => storage.readStaged(0, target, on, staging)]
  ] as const;

  test.each(copies)('%s that was raised before it ends it', (_, copy) => {
    Atomics.store(flag, 0, 1);
    expect(errorOf(copy).kind).toBe('interrupted');
  });

  test.each(copies)('%s ends it, and the next copies are right', async (_, copy) => {
    const raise = `const { workerData } = require('node:worker_threads'); Atomics.store(workerData, 0, 1);`;
    const worker = new Worker(raise, { eval: true, workerData: flag });
    const exited = new Promise(resolve => worker.once('exit', resolve));
    // The thread starts while copies run.
    let error: unknown;
    while (error === undefined) {
      try {
        copy();
      } catch (caught) {
        error = caught;
      }
    }
    expect(error).toMatchObject({ info: { kind: 'interrupted' } });
    await exited;
    Atomics.store(flag, 0, 0);
    storage.writeStaged(0, source, on, staging);
    storage.readStaged(0, target.fill(0), stream(), staging);
    expect(difference(target, source)).toBe(0);
  });
});

test('copies of several threads at a time are right', async () => {
  const program = `
    const { workerData, parentPort } = require('node:worker_threads');
    const native = require(workerData.addon);
    const [device] = native.devices('simulated');
    const on = native.createStream(device, { blocking: false, priority: 0 });
    const bytes = 9 * 2 ** 20 + 5;
    const staging = native.allocate(device, 4 * 2 ** 20, 'pinned');
    const storage = native.allocate(device, bytes, 'device');
    let wrong = 0;
    for (let round = 0; round < 4; round++) {
      const source = new Uint8Array(bytes).map((_, index) => (index * 7 + round + workerData.number) >> 3);
      storage.writeStaged(0, source, on, staging);
      const target = new Uint8Array(bytes);
      storage.readStaged(0, target, on, staging);
      if (Buffer.compare(source, target) !== 0) wrong++;
    }
    storage.release();
    parentPort.postMessage(wrong);`;
  const { addonPath } = await import('./support.ts');
  const wrong = await Promise.all(
    [1, 2, 3].map(async number => {
      const worker = new Worker(program, { eval: true, workerData: { addon: addonPath, number } });
      const result = await new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
      await worker.terminate();
      return result;
    })
  );
  expect(wrong).toEqual([0, 0, 0]);
});
