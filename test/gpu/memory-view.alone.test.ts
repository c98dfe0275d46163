/** Figures of the memory picture compared with the driver's, with other allocations present: on a real GPU, or on STRIDELAB_TEST_DEVICE. */

import { describeMemory } from '../../dist/src/pictures/memory/picture.js';
import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';

import { empty, memoryLog, type LoggedFailure } from 'stridelab';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  DefaultCUDAMemoryManager,
  resetMemory,
  usingMemoryManager,
  type MemoryManagerClass
} from 'stridelab/memory';
import type { MemoryDevice } from '../../src/pictures/memory/schema.ts';
import { native } from '../../dist/src/native/load.js';
import { device } from './device.ts';

const on = { device, dtype: 'uint8' } as const;
const MEBI = 2 ** 20;
const GIBI = 2 ** 30;
/** Driver memory beyond the requested bytes: rounding, and other processes that start and exit. */
const SLACK = 64 * MEBI;

const managers: readonly MemoryManagerClass[] = [
  DefaultCUDAMemoryManager,
  BestFitPoolMemoryManager,
  AsyncPoolMemoryManager
];

function shown(): MemoryDevice & { readonly outside: number } {
  const found = describeMemory(memoryLog, {}).devices.find(({ label }) => label === device.label);
  assert.ok(found);
  return { ...found, outside: found.total - found.free - found.used - found.kept - (found.waiting ?? 0) };
}

const near = (value: number, expected: number): void =>
  assert.ok(Math.abs(value - expected) <= SLACK, `${value / MEBI} MiB is not near ${expected / MEBI} MiB`);

/** Waits until disposed arrays have returned to their manager. */
function settle(): void {
  device.synchronize();
  native().drainReleases(true);
}

after(() => memoryLog.stop());

for (const managerClass of managers) {
  describe(managerClass.name, () => {
    test('in use, kept, free and outside are what the driver counts, before, with and after arrays', () => {
      using _ = usingMemoryManager(managerClass);
      memoryLog.start();
      empty(MEBI, on).dispose();
      settle();
      const before = shown();
      const arrays = [1, 2, 3].map(() => empty(GIBI / 4, on));
      const during = shown();
      const { free, total } = device.memoryInfo();
      near(during.free, free);
      assert.equal(during.total, total);
      assert.equal(during.used - before.used, (3 * GIBI) / 4);
      near(during.outside, before.outside);
      assert.ok((during.peak ?? 0) >= during.used);
      arrays[1]?.dispose();
      settle();
      assert.equal(shown().used, during.used - GIBI / 4);
      near(shown().outside, before.outside);
      for (const array of [arrays[0], arrays[2]]) array?.dispose();
      settle();
      resetMemory(device);
      near(shown().outside, before.outside);
    });

    test('what another library takes is outside', () => {
      using _ = usingMemoryManager(managerClass);
      memoryLog.start();
      empty(MEBI, on).dispose();
      const before = shown();
      // Like another library in this process: no manager is notified.
      const pointer = native().raw.memAlloc(device.native, GIBI / 2);
      try {
        near(shown().outside, before.outside + GIBI / 2);
        assert.equal(shown().used, before.used);
      } finally {
        native().raw.memFree(device.native, pointer);
      }
      near(shown().outside, before.outside);
    });

    test('a request beyond the device is recorded with what was free', () => {
      using _ = usingMemoryManager(managerClass);
      memoryLog.start();
      assert.throws(() => empty(2 ** 45, on), { name: 'OutOfMemoryError' });
      const event = memoryLog.read().events.find(({ kind }) => kind === 'failure');
      const failure = event?.subject as LoggedFailure;
      assert.equal(failure.bytes, 2 ** 45);
      near(failure.free, device.memoryInfo().free);
      assert.match(failure.reason, /^Too large: the device has/);
    });
  });
}
