/** The managers whose memory can be shared with other processes, used as managers: test/src/sharing shares it. */

import { empty } from '../../../src/array/creation.ts';
import { toDevice } from '../../../src/core/device.ts';
import {
  currentManager,
  IpcPoolMemoryManager,
  memalloc,
  resetMemory,
  usingMemoryManager,
  VirtualMemoryManager,
  type MemoryManagerClass
} from '../../../src/memory/index.ts';
import { findShareable } from '../../../src/memory/manager/shareable.ts';
import { native } from '../../../src/native/load.ts';
import { Stream } from '../../../src/core/stream.ts';
import { MEBI, simulated } from './plugins.ts';
import { settle } from './settle.ts';

const on = { device: simulated } as const;

/** A new class, so that each test has a manager without history. */
function fresh(managerClass: MemoryManagerClass): Disposable {
  return usingMemoryManager(class extends (managerClass as typeof VirtualMemoryManager) {});
}

beforeEach(settle);

describe.each([
  ['IpcPoolMemoryManager', IpcPoolMemoryManager, 'pool', 3 * MEBI],
  ['VirtualMemoryManager', VirtualMemoryManager, 'vmm', 4 * MEBI]
] as const)('%s', (_name, managerClass, way, taken) => {
  test('rules 179, 180: allocates device memory that can be shared as long as it lives', () => {
    using _ = fresh(managerClass);
    using nothing = memalloc(0, on);
    expect(nothing.pointer).toBe(0n);
    const before = simulated.memoryInfo().free;
    const memory = memalloc(3 * MEBI, on);
    const { pointer } = memory;
    expect(simulated.memoryInfo().free).toBe(before - taken);
    expect(findShareable(pointer + 5n, 3 * MEBI - 5)).toMatchObject({ way, pointer, device: simulated });
    expect(findShareable(pointer + 5n, taken)).toBeUndefined();
    expect(simulated.native.pointerAttributes(pointer)).toMatchObject({
      memoryType: 'device',
      legacyIpcCapable: false
    });
    memory.free();
    resetMemory(simulated);
    expect(findShareable(pointer, 1)).toBeUndefined();
    expect(simulated.memoryInfo().free).toBe(before);
  });

  test('rules 185, 186: a reset frees everything, and later finalizers are silent', () => {
    using _ = fresh(managerClass);
    const before = simulated.memoryInfo().free;
    const held = [memalloc(100, on), memalloc(200, on)];
    const array = empty(1000, on);
    resetMemory(simulated);
    expect(simulated.memoryInfo().free).toBe(before);
    for (const memory of held) memory.release();
    array.dispose();
    native().drainReleases(true);
    expect(simulated.memoryInfo().free).toBe(before);
  });

  test('rule 209: out of memory is a typed error that leaves the manager usable', () => {
    using _ = fresh(managerClass);
    expect(() => memalloc(2 ** 45, on)).toThrow(
      expect.objectContaining({ name: 'OutOfMemoryError', requested: 2 ** 45 }) as Error
    );
    using stream = new Stream(on);
    using array = empty(16, { dtype: 'uint8', stream }).fill(3);
    expect(array.item(15)).toBe(3);
    expect(currentManager(simulated).getMemoryInfo()).toEqual(simulated.memoryInfo());
  });

  test('a device without such memory is reported at the first request, with an alternative', () => {
    using _ = fresh(managerClass);
    expect(() => memalloc(64, { device: toDevice('rec:0') })).toThrow(/no such function/);
  });
});
