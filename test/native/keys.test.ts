/** Keys: numbers by which frequent calls name native objects. */

import { Worker } from 'node:worker_threads';

import type { NativeStream } from '../../src/native/binding.ts';
import type { NativeKey } from '../../src/native/keyed-binding.ts';
import { until } from '../setup/until.ts';
import { addonPath, block, collect, errorOf, loadAgain, native, simulated, stream } from './support.ts';

const keyOfDroppedStream = (): NativeKey<NativeStream> => stream().key;

/** Whether `record` takes the number as the key of a stream. */
function isKey(number: NativeKey<NativeStream>): boolean {
  try {
    native.keyed.record(number, native.createEvent(simulated(), false).key);
    return true;
  } catch (error) {
    expect(error).toMatchObject({ info: { kind: 'argument' } });
    return false;
  }
}

test('a key stays the same, and objects that live at once have different ones', () => {
  const streams = Array.from({ length: 50 }, () => stream());
  const keys = streams.map(({ key }) => key);
  expect(new Set(keys).size).toBe(50);
  expect(streams.map(({ key }) => key)).toEqual(keys);
  expect(native.createStream(simulated(), { blocking: false, priority: 0 }).key).not.toBe(keys[0]);
});

test('numbers that are no key are refused, with the argument and its class', () => {
  const [on, event] = [stream(), native.createEvent(simulated(), false)];
  const wrong = [
    0,
    -1,
    0.5,
    NaN,
    2 ** 20,
    2 ** 32,
    2 ** 53,
    Infinity,
    '1',
    1n,
    null,
    undefined,
    {},
    on,
    event
  ];
  for (const value of wrong) {
    expect(errorOf(() => native.keyed.record(value as never, event.key))).toMatchObject({
      kind: 'argument',
      message: 'stream is not the key of a NativeStream'
    });
    expect(errorOf(() => native.keyed.wait(on.key, value as never))).toMatchObject({
      kind: 'argument',
      message: 'event is not the key of a NativeEvent'
    });
  }
  expect(on.sequence).toBe(0);
});

test('a collected object has no key, and a later one may get its number', async () => {
  const number = keyOfDroppedStream();
  // V8 sometimes keeps a dropped object for one more collection.
  await until(() => {
    collect();
    return !isKey(number);
  });
  const again = Array.from({ length: 200 }, () => stream());
  expect(again.map(({ key }) => key)).toContain(number);
  native.keyed.record(number, native.createEvent(simulated(), false).key);
  expect(again.filter(({ sequence }) => sequence === 1).map(({ key }) => key)).toEqual([number]);
});

test('destroyed objects are named, and refused as destroyed', () => {
  const [on, event] = [stream(), native.createEvent(simulated(), false)];
  event.destroy();
  expect(errorOf(() => native.keyed.record(on.key, event.key)).kind).toBe('freed');
  expect(errorOf(() => native.keyed.wait(on.key, event.key)).kind).toBe('freed');
  const other = native.createEvent(simulated(), false);
  on.destroy();
  expect(errorOf(() => native.keyed.record(on.key, other.key)).kind).toBe('freed');
  const storage = block(8);
  const { key } = storage;
  storage.release();
  expect(storage.key).toBe(key);
});

test('keys are valid in every load of the addon in their thread, and in no other thread', async () => {
  const [on, event] = [stream(), native.createEvent(simulated(), false)];
  loadAgain().keyed.record(on.key, event.key);
  expect(on.sequence).toBe(1);
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    const native = require(${JSON.stringify(addonPath)});
    const event = native.createEvent(native.devices('simulated')[0], false);
    try {
      native.keyed.record(workerData, event.key);
      parentPort.postMessage('recorded');
    } catch (error) {
      parentPort.postMessage(error.message);
    }`,
    { eval: true, workerData: on.key }
  );
  const told = await new Promise(resolve => worker.once('message', resolve));
  await worker.terminate();
  expect(told).toBe('stream is not the key of a NativeStream');
  expect(on.sequence).toBe(1);
});

test('a stream that waited for many others still starts after each of them', () => {
  const reader = stream();
  const writers = Array.from({ length: 100 }, () => stream());
  const storages = writers.map(writer => {
    const storage = block(64);
    storage.fill(0, 1, 1, 64, writer);
    storage.prepare(reader, 'read');
    return storage;
  });
  const known = reader.orderedAfter();
  expect(known.length).toBeLessThanOrEqual(64);
  expect(known.at(-1)).toEqual({ streamId: writers.at(-1)!.id, sequence: 1 });
  const waits = reader.waits;
  for (const storage of storages.slice(-3)) storage.prepare(reader, 'read');
  expect(reader.waits).toBe(waits);
  storages[99]!.fill(0, 1, 2, 64, writers[99]!);
  storages[99]!.prepare(reader, 'read');
  expect(reader.waits).toBe(waits + 1);
});

test('repeated uses keep the order of all others', () => {
  const [writer, reader, third] = [stream(), stream(), stream()];
  const storage = block(64);
  const uses = (): string[] =>
    storage.uses().map(({ stream: on, access, sequence }) => {
      const name = on === writer ? 'writer' : on === reader ? 'reader' : 'third';
      return `${name} ${access} ${sequence}`;
    });
  const use = (on: typeof writer, access: 'read' | 'write'): void => {
    storage.prepare(on, access);
    storage.recordUse(on, access);
  };
  for (let turn = 0; turn < 3; turn++) use(writer, 'write');
  expect(uses()).toEqual(['writer write 3']);
  for (let turn = 0; turn < 3; turn++) use(writer, 'read');
  expect(uses().at(-1)).toBe('writer read 6');
  for (let turn = 0; turn < 3; turn++) use(reader, 'read');
  expect(uses().at(-1)).toBe('reader read 3');
  use(writer, 'read');
  expect(uses().at(-1)).toBe('writer read 7');
  for (let turn = 0; turn < 2; turn++) use(third, 'write');
  expect(uses()).toEqual(['third write 2']);
  simulated().synchronize();
  expect(uses()).toEqual(['third write 2']);
});
