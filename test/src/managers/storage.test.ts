/** How arrays get their memory from a manager and return it. */

import { FreedError, MemoryManagerError, OutOfMemoryError } from '../../../src/base/errors.ts';
import {
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  memalloc,
  MemoryPointer,
  resetMemory,
  usingMemoryManager,
  type MemoryManagerClass
} from '../../../src/memory/index.ts';
import { Storage } from '../../../src/memory/storage.ts';
import { native } from '../../../src/native/load.ts';
import { Stream } from '../../../src/core/stream.ts';
import { DeviceOnlyPlugin, MEBI, simulated, StandAlonePlugin } from './plugins.ts';
import { settle } from './settle.ts';

function fresh<T>(managerClass: MemoryManagerClass): { readonly scope: Disposable; readonly manager: T } {
  class Fresh extends (managerClass as new (...context: unknown[]) => DeviceOnlyPlugin) {}
  const scope = usingMemoryManager(Fresh);
  return { scope, manager: currentManager(simulated) as unknown as T };
}

describe('allocation', () => {
  test("rule 178: an array's memory comes from the current manager, and is returned to it", () => {
    const { scope, manager } = fresh<DeviceOnlyPlugin>(DeviceOnlyPlugin);
    const storage = Storage.allocate(simulated, 1000);
    expect(manager.log).toEqual(['+1000']);
    scope[Symbol.dispose]();
    const other = Storage.allocate(simulated, 1000);
    expect(manager.log).toEqual(['+1000']);
    storage.release();
    other.release();
    expect(manager.log).toEqual(['+1000', '-1000']);
  });

  test('rules 55, 180: empty memory calls no manager', () => {
    const { scope, manager } = fresh<DeviceOnlyPlugin>(DeviceOnlyPlugin);
    using _ = scope;
    const storage = Storage.allocate(simulated, 0);
    expect(storage.pointer).toBe(0n);
    storage.release();
    expect(manager.log).toEqual([]);
  });

  test('rules 181, 215: pinned and managed memory come from the manager too', () => {
    const { scope } = fresh(DefaultCUDAMemoryManager);
    using _ = scope;
    for (const kind of ['pinned', 'managed'] as const) {
      const storage = Storage.allocate(simulated, 4096, kind);
      expect(storage.kind).toBe(kind);
      const stream = Stream.legacyDefault(simulated);
      storage.writeFromHost(0, new Uint8Array([1, 2, 3]), stream);
      const back = new Uint8Array(3);
      storage.readToHost(0, back, stream);
      expect([...back]).toEqual([1, 2, 3]);
      storage.release();
    }
  });

  test('rules 181, 215: a plugin without mapped or managed memory is named', () => {
    using _ = usingMemoryManager(class Plain extends StandAlonePlugin {});
    expect(() => Storage.allocate(simulated, 8, 'pinned')).toThrow(/Plain: memhostalloc did not map/);
    expect(() => Storage.allocate(simulated, 8, 'managed')).toThrow(/Plain does not support managed/);
  });

  test('rule 224: an invalid pointer is refused before it is used', async () => {
    class Wrong extends DeviceOnlyPlugin {
      override memalloc(size: number): MemoryPointer {
        return size === 1
          ? (undefined as unknown as MemoryPointer)
          : size === 2
            ? new MemoryPointer(this.context, 0n, size)
            : size === 3
              ? ({ pointer: 4096, size } as unknown as MemoryPointer)
              : new MemoryPointer(this.context, 0x1000n, size - 1);
      }
    }
    using _ = usingMemoryManager(Wrong);
    await settle();
    const before = native().liveBlocks();
    for (const size of [1, 2, 3, 4]) {
      expect(() => Storage.allocate(simulated, size)).toThrow(MemoryManagerError);
    }
    expect(native().liveBlocks()).toEqual(before);
  });

  test('rule 224: a plugin that throws in memalloc or in its finalizer leaves the library consistent', async () => {
    let fail = true;
    class Throwing extends DeviceOnlyPlugin {
      override memalloc(size: number): MemoryPointer {
        if (fail) throw new Error('no memory today');
        const memory = super.memalloc(size);
        return new MemoryPointer(this.context, memory.pointer, size, memory, () => {
          memory.release();
          throw new Error('cannot free');
        });
      }
    }
    using _ = usingMemoryManager(Throwing);
    await settle();
    const before = native().liveBlocks();
    const failures = native().releaseFailures().count;
    expect(() => Storage.allocate(simulated, 8)).toThrow('no memory today');
    fail = false;
    Storage.allocate(simulated, 8).release();
    native().drainReleases(true);
    expect(native().releaseFailures().count).toBe(failures + 1);
    expect(native().liveBlocks()).toEqual(before);
  });
});

describe('order', () => {
  test('rules 96, 232: memory is returned after the work that uses it, not before', () => {
    const { scope, manager } = fresh<DeviceOnlyPlugin>(DeviceOnlyPlugin);
    using _ = scope;
    using stream = new Stream({ device: simulated });
    const storage = Storage.allocate(simulated, 64 * MEBI);
    storage.fill(0, 1, 1, 64 * MEBI, stream);
    storage.release();
    native().drainReleases(true);
    expect(manager.log).toEqual([`+${64 * MEBI}`, `-${64 * MEBI}`]);
    expect(stream.query()).toBe(true);
  });

  test('rules 211, 232: a storage over a pointer takes its reference', () => {
    const { scope, manager } = fresh<DeviceOnlyPlugin>(DeviceOnlyPlugin);
    using _ = scope;
    const memory = memalloc(4096, { device: simulated });
    const storage = Storage.over(memory.retain());
    memory.release();
    storage.fill(0, 1, 7, 4096, Stream.legacyDefault(simulated));
    const bytes = new Uint8Array(4);
    storage.readToHost(4092, bytes, Stream.legacyDefault(simulated));
    expect([...bytes]).toEqual([7, 7, 7, 7]);
    storage.release();
    native().drainReleases(true);
    expect(manager.log).toEqual(['+4096', '-4096']);
  });
});

describe('out of memory', () => {
  test('rules 209, 230: unreachable arrays are collected inside one synchronous run', () => {
    const { scope } = fresh(DefaultCUDAMemoryManager);
    using _ = scope;
    const part = Math.floor(simulated.totalMemory / 4);
    for (let i = 0; i < 12; i++) Storage.allocate(simulated, part);
  });

  test('rule 209: live arrays make it fail, with advice', () => {
    const { scope } = fresh(DefaultCUDAMemoryManager);
    using _ = scope;
    const half = Math.ceil(simulated.totalMemory / 2) + 1;
    const held = Storage.allocate(simulated, half);
    expect(() => Storage.allocate(simulated, half)).toThrow(OutOfMemoryError);
    held.release();
    Storage.allocate(simulated, half).release();
  });
});

describe.each([
  ['default', DefaultCUDAMemoryManager],
  ['best-fit pool', BestFitPoolMemoryManager]
])('reset of the %s manager', (_name, managerClass) => {
  test('rules 103, 186: arrays are invalid but safe, and releasing them is silent', async () => {
    const { scope } = fresh(managerClass);
    using _ = scope;
    await settle();
    const before = simulated.memoryInfo().free;
    const storage = Storage.allocate(simulated, MEBI);
    const stream = Stream.legacyDefault(simulated);
    storage.fill(0, 1, 1, MEBI, stream);
    const shared = storage.retain();
    resetMemory(simulated);
    expect(simulated.memoryInfo().free).toBe(before);
    expect(storage.freed).toBe(true);
    expect(() => storage.pointer).toThrow(FreedError);
    expect(() => storage.fill(0, 1, 1, 8, stream)).toThrow(FreedError);
    expect(() => storage.retain()).toThrow(FreedError);
    shared.release();
    storage.release();
    native().drainReleases(true);
    const again = Storage.allocate(simulated, MEBI);
    expect(again.freed).toBe(false);
    again.release();
  });
});

test('rule 206: streams and events are managed the same under a plugin, which is not informed of them', () => {
  const { scope, manager } = fresh<DeviceOnlyPlugin>(DeviceOnlyPlugin);
  using _ = scope;
  for (let i = 0; i < 20; i++) {
    using stream = new Stream({ device: simulated });
    using event = stream.record();
    event.synchronize();
  }
  expect(manager.log).toEqual([]);
});
