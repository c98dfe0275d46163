/** Memory managers and kinds of memory on a real GPU. */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { empty, Stream } from 'stridelab';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  memallocmanaged,
  memalloc,
  memhostalloc,
  usingMemoryManager,
  type MemoryManagerClass
} from 'stridelab/memory';

import { device, LARGE, on, samples } from './device.ts';

const MEBI = 2 ** 20;
const managers: readonly MemoryManagerClass[] = [
  DefaultCUDAMemoryManager,
  BestFitPoolMemoryManager,
  AsyncPoolMemoryManager
];

for (const managerClass of managers)
  describe(managerClass.name, () => {
    test('rules 209, 232: memory freed while a stream uses it comes to others after that work', () => {
      using _scope = usingMemoryManager(managerClass);
      using first = new Stream(on);
      using second = new Stream(on);
      for (let round = 1; round <= 20; round++) {
        const source = empty(LARGE, { dtype: 'uint8', stream: first });
        using target = empty(LARGE, { dtype: 'uint8', stream: first });
        source.fill(round);
        target.copyFrom(source);
        source.dispose();
        using next = empty(LARGE, { dtype: 'uint8', stream: second });
        next.fill(200 + round, { stream: second });
        assert.deepEqual(samples(target), [round, round, round]);
        assert.deepEqual(samples(next), Array(3).fill(200 + round));
      }
    });

    test('rules 179, 187: memory is of the device, whose free bytes are told', () => {
      using _scope = usingMemoryManager(managerClass);
      using memory = memalloc(MEBI, on);
      const attributes = device.native.pointerAttributes(memory.pointer);
      assert.equal(attributes?.memoryType, 'device');
      assert.equal(attributes.deviceOrdinal, device.ordinal);
      const { free, total } = currentManager(device).getMemoryInfo();
      assert.ok(free > 0 && free <= total);
    });

    test('rule 209: out of memory is a typed error that leaves the manager usable', () => {
      using _scope = usingMemoryManager(managerClass);
      assert.throws(() => empty(2 ** 45, { ...on, dtype: 'uint8' }), { name: 'OutOfMemoryError' });
      using small = empty(16, { ...on, dtype: 'uint8' }).fill(3);
      assert.deepEqual(samples(small), [3, 3, 3]);
    });
  });

test('rule 230: ten thousand temporaries in one synchronous loop, none disposed', () => {
  const before = device.memoryInfo().free;
  using stream = new Stream(on);
  let least = before;
  for (let i = 0; i < 10_000; i++) {
    empty(MEBI, { dtype: 'uint8', stream }).fill(i & 255);
    if (i % 500 === 0) least = Math.min(least, device.memoryInfo().free);
  }
  assert.ok(before - least <= 1024 * MEBI, `${(before - least) / MEBI} MiB`);
});

test('rule 207: memory comes back when arrays are disposed, a fifth of it later', () => {
  const { free, total } = device.memoryInfo();
  const bytes = device.simulated ? 2 ** 24 : 2 ** 30;
  for (let i = 0; i < 64; i++) {
    using a = empty(bytes, { ...on, dtype: 'uint8' });
    a.fill(i);
  }
  device.synchronize();
  assert.ok(free - device.memoryInfo().free <= total / 5 + bytes);
});

describe('host memory', () => {
  test('rules 181, 212: pinned memory has a buffer, and copies both ways', () => {
    using stream = new Stream(on);
    using pinned = memhostalloc(MEBI, on);
    const bytes = new Uint8Array(pinned.buffer).fill(7);
    using array = empty(MEBI, { dtype: 'uint8', stream });
    array.storage.writeFromHost(0, bytes, stream);
    bytes.fill(0);
    array.storage.readToHost(0, bytes, stream);
    assert.deepEqual([bytes[0], bytes[MEBI - 1]], [7, 7]);
    const attributes = device.native.pointerAttributes(pinned.pointer);
    assert.equal(attributes?.memoryType, 'host');
    assert.equal(attributes.managed, false);
  });

  test('rules 181, 212: mapped memory has an address on the device', () => {
    using mapped = memhostalloc(MEBI, { ...on, mapped: true, portable: true });
    assert.ok(mapped.pointer > 0n);
    assert.ok(mapped.hostPointer > 0n);
    assert.equal(device.native.pointerAttributes(mapped.hostPointer)?.devicePointer, mapped.pointer);
  });
});

test('rules 97, 215: managed memory says that it is managed', () => {
  using _scope = usingMemoryManager(DefaultCUDAMemoryManager);
  using managed = memallocmanaged(MEBI, on);
  assert.equal(device.native.pointerAttributes(managed.pointer)?.managed, true);
});
