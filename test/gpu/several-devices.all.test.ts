/** Arrays on two GPUs. Skipped with a single GPU. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { Worker } from 'node:worker_threads';

import type * as Library from 'stridelab';
import { arange, array, empty, Event, full, ones, Stream, zeros, type Device } from 'stridelab';
import { AsyncPoolMemoryManager, usingMemoryManager } from 'stridelab/memory';

import { LARGE, samples } from './device.ts';
import { all, first, second, tooFew } from './peers.ts';

const pairs: readonly (readonly [Device, Device])[] = [
  [first, second],
  [second, first]
];

describe('two devices', { skip: tooFew }, () => {
  test('memory is allocated on the requested device', t => {
    for (const device of [first, second]) {
      const a = ones(1000, { device });
      const attributes = a.storage.pointerAttributes(a.pointer);
      assert.equal(attributes?.deviceOrdinal, device.ordinal);
      assert.equal(a.device, device);
    }
    assert.equal(first.canAccessPeer(first), false);
    t.diagnostic(
      `peer access: ${pairs.map(([a, b]) => `${a.label} to ${b.label} ${a.canAccessPeer(b)}`).join(', ')}`
    );
  });

  for (const [from, to] of pairs) {
    test(`toDevice from ${from.label} to ${to.label}: contiguous, strided, repeated, masked, empty`, () => {
      const a = arange(12, { dtype: 'int32', device: from }).reshape(3, 4);
      const b = a.toDevice(to);
      assert.equal(b.device, to);
      assert.deepEqual(b.toNested(), a.toNested());
      assert.deepEqual(a.T.toDevice(to).toNested(), a.T.toNested());
      assert.deepEqual(a.slice('::-2', '1::2').toDevice(to).toNested(), [
        [9, 11],
        [1, 3]
      ]);
      assert.deepEqual(array([5], { device: from }).broadcastTo([2, 2]).toDevice(to).toNested(), [
        [5, 5],
        [5, 5]
      ]);
      const masked = arange(3, { device: from }).withMask(array([true, false, true], { device: from }));
      assert.deepEqual(masked.toDevice(to).toNested(), [0, null, 2]);
      assert.deepEqual(zeros([0, 2], { device: from }).toDevice(to).shape, [0, 2]);
      assert.equal(b.toDevice(to), b);
    });

    test(`a hundred rounds from ${from.label} to ${to.label} and back, on streams that only the library orders`, () => {
      using s = new Stream({ device: from });
      using t = new Stream({ device: to });
      const a = empty(LARGE, { dtype: 'uint8', stream: s });
      const b = empty(LARGE, { dtype: 'uint8', stream: t });
      for (let round = 1; round <= 100; round++) {
        a.fill(round); // on s
        b.copyFrom(a); // on t, after the fill
        a.fill(255); // on s, after the copy
        if (round % 10 === 0) assert.deepEqual(samples(b), [round, round, round]);
      }
      a.copyFrom(b);
      assert.deepEqual(samples(a), [100, 100, 100]);
    });
  }

  test('copies between memory of the stream-ordered pools', () => {
    using _scope = usingMemoryManager(AsyncPoolMemoryManager);
    const a = full(LARGE, 7, { dtype: 'uint8', device: first });
    assert.deepEqual(samples(a.toDevice(second)), [7, 7, 7]);
  });

  test('memory that is disposed while a copy reads it is not reused before the copy is done', () => {
    using s = new Stream({ device: first });
    using t = new Stream({ device: second });
    for (let round = 1; round <= 20; round++) {
      const a = full(LARGE, round, { dtype: 'uint8', stream: s });
      const b = a.toDevice(t);
      a.dispose();
      const other = full(LARGE, 255, { dtype: 'uint8', stream: s });
      assert.deepEqual(samples(b), [round, round, round]);
      other.dispose();
      b.dispose();
    }
  });

  test('a stream waits for events of the other device, which are recorded on their own device alone', () => {
    using s = new Stream({ device: first });
    using t = new Stream({ device: second });
    const a = full(LARGE, 1, { dtype: 'uint8', stream: s });
    using event = s.record();
    t.wait(event);
    const b = empty(LARGE, { dtype: 'uint8', stream: t }).copyFrom(a);
    using after = t.record(new Event({ device: second }));
    after.synchronize();
    assert.equal(event.query(), true);
    assert.deepEqual(samples(b), [1, 1, 1]);
    assert.throws(() => t.record(event), { code: 'ERR_ARGUMENT' });
    assert.throws(() => after.elapsedSince(event), { code: 'ERR_ARGUMENT' });
  });

  test('a graph covers both devices', () => {
    using s = new Stream({ device: first });
    using t = new Stream({ device: second });
    const a = zeros(1000, { stream: s, dtype: 'int32' });
    const b = zeros(1000, { stream: t, dtype: 'int32' });
    b.copyFrom(a); // outside the capture first: the first copy enables peer access
    using graph = s.capture(() => {
      a.fill(7);
      t.wait(s);
      b.copyFrom(a);
      s.wait(t);
    });
    assert.equal(b.item(0), 0);
    for (let launch = 0; launch < 3; launch++) graph.launch(s);
    assert.deepEqual([b.item(0), b.item(999)], [7, 7]);
  });

  test('the current device is per call, on several threads at once', async () => {
    const work = (library: typeof Library, labels: readonly string[]): unknown[] => {
      const [a, b] = labels.map(device => library.arange(4096, { device }));
      if (a === undefined || b === undefined) throw new Error('two labels are needed');
      for (let round = 0; round < 200; round++) {
        a.fill(round);
        b.copyFrom(a);
        b.slice(':2048').fill(-round);
        a.copyFrom(b);
      }
      return [a.item(0), a.item(4095), b.item(2047), b.item(2048)];
    };
    const labels = [first.label, second.label];
    const code = `
      const { parentPort, workerData } = require('node:worker_threads');
      import(workerData.library).then(library => parentPort.postMessage((${work.toString()})(library, workerData.labels)));`;
    const threads = Array.from(
      { length: 3 },
      () =>
        new Promise((resolve, reject) => {
          const workerData = { library: import.meta.resolve('stridelab'), labels };
          new Worker(code, { eval: true, workerData }).once('message', resolve).once('error', reject);
        })
    );
    const own = work(await import('stridelab'), labels);
    for (const outcome of [own, ...(await Promise.all(threads))])
      assert.deepEqual(outcome, [-199, 199, -199, 199]);
  });

  test('the rate of a copy', t => {
    using s = new Stream({ device: first });
    using into = new Stream({ device: second });
    const a = zeros(LARGE, { dtype: 'uint8', stream: s });
    const b = a.toDevice(into);
    using start = into.record();
    for (let round = 0; round < 20; round++) b.copyFrom(a);
    using end = into.record();
    end.synchronize();
    const rate = (20 * LARGE) / end.elapsedSince(start) / 1e6;
    t.diagnostic(`${first.label} to ${second.label}, ${LARGE / 2 ** 20} MiB: ${rate.toFixed(0)} GB/s`);
    assert.ok(rate > 0.1);
  });

  test('every device of the machine can be reached from every other', () => {
    for (const from of all) {
      const a = full(1000, from.ordinal + 1, { device: from, dtype: 'uint8' });
      for (const to of all) assert.equal(a.toDevice(to).item(999), from.ordinal + 1);
    }
  });
});
