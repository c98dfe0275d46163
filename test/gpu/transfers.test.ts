/** Copies between JavaScript's memory and the device: of all sizes, in order, also of several threads at a time. */

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Worker } from 'node:worker_threads';

import { empty, Stream, zeros } from 'stridelab';
import { memhostalloc } from 'stridelab/memory';

import { device, LARGE, on } from './device.ts';

const MEBI = 2 ** 20;
const SIZES = [1, 1000, MEBI, 2 * MEBI, 2 * MEBI + 1, 4 * MEBI + 3, 33 * MEBI - 7, 80 * MEBI + 5];

function pattern(bytes: number, seed: number): Uint8Array<ArrayBuffer> {
  const words = new Uint32Array(Math.ceil(bytes / 4));
  for (let i = 0; i < words.length; i++) words[i] = Math.imul(i + seed, 2654435761);
  return new Uint8Array(words.buffer, 0, bytes);
}

for (const bytes of SIZES)
  test(`${bytes} bytes arrive in both directions, at any alignment`, () => {
    using stream = new Stream(on);
    using array = empty(bytes + 64, { dtype: 'uint8', stream }).fill(7);
    const source = new Uint8Array(pattern(bytes + 5, bytes).buffer, 5, bytes);
    array.storage.writeFromHost(11, source, stream);
    const around = new Uint8Array(bytes + 16).fill(9);
    array.storage.readToHost(11, around.subarray(3, 3 + bytes), stream);
    assert.equal(Buffer.compare(around.subarray(3, 3 + bytes), source), 0);
    assert.deepEqual(new Set([...around.subarray(0, 3), ...around.subarray(3 + bytes)]), new Set([9]));
    assert.deepEqual([array.item(10), array.item(11 + bytes)], [7, 7]);
  });

test('the source may change after the call, and the array may be freed', () => {
  using stream = new Stream(on);
  using busy = empty(LARGE, { dtype: 'uint8', stream });
  using target = empty(64 * MEBI, { dtype: 'uint8', stream });
  const source = new Uint8Array(64 * MEBI);
  for (let round = 1; round <= 5; round++) {
    for (let i = 0; i < 20; i++) busy.fill(i);
    target.storage.writeFromHost(0, source.fill(round), stream);
    const freed = empty(64 * MEBI, { dtype: 'uint8', stream });
    freed.storage.writeFromHost(0, source, stream);
    freed.dispose();
    source.fill(0);
    const found = target.toTypedArray() as Uint8Array;
    assert.ok(found.every(value => value === round));
  }
});

test('pinned memory arrives in both directions', () => {
  using stream = new Stream(on);
  using pinned = memhostalloc(80 * MEBI, on);
  const bytes = new Uint8Array(pinned.buffer);
  const source = pattern(bytes.length, 3);
  bytes.set(source);
  using array = zeros(bytes.length, { dtype: 'uint8', stream });
  array.storage.writeFromHost(0, bytes, stream);
  bytes.fill(0);
  array.storage.readToHost(0, bytes, stream);
  assert.equal(Buffer.compare(bytes, source), 0);
});

const THREAD = `
  import { workerData, parentPort } from 'node:worker_threads';
  const { devices, empty, Stream } = await import(workerData.library);
  const device = devices().find(({ label }) => label === workerData.label);
  using stream = new Stream({ device });
  using array = empty(40 * 2 ** 20, { dtype: 'uint8', stream });
  let wrong = 0;
  for (let round = 0; round < 10; round++) {
    const source = new Uint8Array(array.size).fill(16 * workerData.number + round);
    array.storage.writeFromHost(0, source, stream);
    const target = new Uint8Array(array.size);
    array.storage.readToHost(0, target, stream);
    if (Buffer.compare(source, target) !== 0) wrong++;
  }
  parentPort.postMessage(wrong);`;

test('copies of several threads at a time are right', async () => {
  const library = import.meta.resolve('stridelab');
  const wrong = await Promise.all(
    [1, 2, 3].map(async number => {
      const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(THREAD)}`), {
        workerData: { library, label: device.label, number }
      });
      const result = await new Promise((resolve, reject) => {
        worker.once('message', resolve);
        worker.once('error', reject);
      });
      await worker.terminate();
      return result;
    })
  );
  assert.deepEqual(wrong, [0, 0, 0]);
});
