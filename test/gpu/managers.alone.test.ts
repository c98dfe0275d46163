/**
 * Memory managers under load, and arrays that another process opens: on a real GPU, or on the device that STRIDELAB_TEST_DEVICE
 * names.
 */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { describe, test } from 'node:test';

import { empty, IpcError, Stream, zeros, type NDArray } from 'stridelab';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  DefaultCUDAMemoryManager,
  memalloc,
  resetMemory,
  StatisticsAdaptor,
  usingMemoryManager,
  type MemoryManagerClass
} from 'stridelab/memory';
import { getIpcHandle } from 'stridelab/sharing';
import { device, on } from './device.ts';

const MEBI = 2 ** 20;
const managers: readonly (readonly [string, MemoryManagerClass])[] = [
  ['default', DefaultCUDAMemoryManager],
  ['best-fit pool', BestFitPoolMemoryManager],
  ['async pool', AsyncPoolMemoryManager],
  ['statistics over the pool', StatisticsAdaptor.over(BestFitPoolMemoryManager)]
];

function everyByteIs(value: number, array: NDArray, stream: Stream): void {
  const bytes = array.toTypedArray({ stream }) as Uint8Array;
  assert.ok(bytes.every(byte => byte === value));
}

for (const [name, managerClass] of managers) {
  describe(name, () => {
    test("rules 219, 232: random work on three streams leaves each array's values unchanged", () => {
      using _ = usingMemoryManager(managerClass);
      const streams = [1, 2, 3].map(() => new Stream(on));
      let state = 11;
      const random = (below: number): number =>
        ((state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) >> 8) % below;
      const live: { readonly array: NDArray; readonly value: number }[] = [];
      for (let step = 0; step < 3000; step++) {
        const stream = streams[random(3)] as Stream;
        if (live.length < 24 && random(2) === 0) {
          const value = random(251);
          const array = empty(1 + random(1 << (8 + random(10))), { dtype: 'uint8', stream });
          live.push({ array: array.fill(value), value });
        } else if (live.length > 0) {
          const { array, value } = live.splice(random(live.length), 1)[0] as (typeof live)[number];
          if (random(4) === 0) {
            using copy = array.copy({ stream });
            everyByteIs(value, copy, stream);
          }
          if (random(4) === 0) everyByteIs(value, array, stream);
          array.dispose();
        }
      }
      for (const { array, value } of live) {
        everyByteIs(value, array, array.stream);
        array.dispose();
      }
      for (const stream of streams) stream.dispose();
    });

    test('rules 209, 230: memory of unreachable arrays is freed before memory runs out', () => {
      using _ = usingMemoryManager(managerClass);
      const part = Math.floor(device.totalMemory / 5);
      for (let i = 0; i < 12; i++) empty(part, { ...on, dtype: 'uint8' });
    });

    test('rules 103, 186: after a reset arrays are invalid but safe', () => {
      using _ = usingMemoryManager(class extends (managerClass as typeof DefaultCUDAMemoryManager) {});
      const array = zeros(MEBI, on);
      resetMemory(device);
      assert.throws(() => array.toTypedArray(), { code: 'ERR_FREED' });
      array.dispose();
      using again = zeros(4, on);
      assert.deepEqual([...(again.toTypedArray() as Float64Array)], [0, 0, 0, 0]);
    });
  });
}

/** The other process: reads, writes and closes the array, and tries what is not allowed. */
const OTHER_PROCESS = `
  import { readFileSync } from 'node:fs';
  import { IpcHandle } from 'stridelab/memory';
  import { openIpcArray } from 'stridelab/sharing';
  const handle = IpcHandle.from(JSON.parse(readFileSync(0, 'utf8')));
  const array = openIpcArray(handle, { shape: [4, 8], dtype: 'float32', strides: [64, 4] });
  const seen = array.item(3, 7);
  const messageOf = action => { try { action(); return 'nothing was thrown'; } catch (error) { return error.message; } };
  const twice = messageOf(() => handle.open());
  array.fill(6.5);
  array.synchronize();
  array.dispose();
  await new Promise(resolve => setTimeout(resolve, 20));
  const unopened = messageOf(() => handle.close());
  console.log(JSON.stringify({ seen, twice, unopened }));`;

describe('arrays of another process', () => {
  for (const [name, managerClass] of managers.slice(0, 2)) {
    test(`rules 188, 190, 191, 195: part of an array of the ${name} manager is opened elsewhere and written there`, () => {
      using _ = usingMemoryManager(managerClass);
      // An allocation before it, so that a pool's block does not start its slab.
      using _before = memalloc(4096, on);
      using whole = zeros([16, 16], { ...on, dtype: 'float32' });
      using part = whole.slice('2:6', ':8');
      part.fill(1.5);
      part.synchronize();
      const handle = getIpcHandle(part);
      assert.throws(() => handle.open(), IpcError);
      const child = spawnSync(process.execPath, ['--input-type=module', '--eval', OTHER_PROCESS], {
        input: JSON.stringify(handle),
        encoding: 'utf8'
      });
      assert.equal(child.status, 0, child.stderr);
      const answer = JSON.parse(child.stdout) as Record<string, unknown>;
      assert.equal(answer['seen'], 1.5);
      assert.match(String(answer['twice']), /open already/);
      assert.match(String(answer['unopened']), /not open/);
      assert.equal(part.item(3, 7), 6.5);
      assert.equal(whole.item(0, 0), 0);
      assert.equal(whole.item(2, 8), 0);
    });
  }

  test('rule 194: an array of the async pool cannot be shared, and the error says why', () => {
    using _ = usingMemoryManager(AsyncPoolMemoryManager);
    using array = zeros(MEBI, on);
    assert.throws(() => getIpcHandle(array), /stream-ordered pool/);
  });
});
