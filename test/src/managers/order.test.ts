/** The driver calls that managers make, and their order: on the recording device. */

import { toDevice, type Device } from '../../../src/core/device.ts';
import { DriverError, OutOfMemoryError } from '../../../src/base/errors.ts';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  memalloc,
  memallocmanaged,
  memhostalloc,
  MemoryPointer,
  usingMemoryManager,
  type MemoryManagerClass
} from '../../../src/memory/index.ts';
import { Storage } from '../../../src/memory/storage.ts';
import { native } from '../../../src/native/load.ts';
import { Stream } from '../../../src/core/stream.ts';
import { DeviceOnlyPlugin } from './plugins.ts';
import { callsOf } from '../conformance/cai-support.ts';

const device: Device = toDevice('rec:0');
const on = { device } as const;
const { recording } = native();
const KIBI = 1024;

/** A manager of a new class, with immediate frees. */
function fresh<T>(managerClass: MemoryManagerClass): { readonly scope: Disposable; readonly manager: T } {
  process.env['STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT'] = '0';
  class Fresh extends (managerClass as new (...context: unknown[]) => DeviceOnlyPlugin) {}
  const scope = usingMemoryManager(Fresh);
  const manager = currentManager(device) as unknown as T;
  delete process.env['STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT'];
  native().drainReleases(true);
  recording.reset();
  return { scope, manager };
}

afterEach(() => recording.reset());

describe('allocation', () => {
  test('rule 178: a plugin with its own memory makes no allocation call of the driver', () => {
    const { raw } = native();
    const backing = raw.memAlloc(device.native, 64 * KIBI);
    let next = 0;
    class Slices extends DeviceOnlyPlugin {
      override memalloc(size: number): MemoryPointer {
        const pointer = backing + BigInt(next);
        next += Math.ceil(size / 256) * 256;
        return new MemoryPointer(this.context, pointer, size);
      }
    }
    const { scope } = fresh(Slices);
    using _ = scope;
    using stream = new Stream(on);
    const calls = callsOf(() => {
      for (let i = 0; i < 5; i++) {
        const storage = Storage.allocate(device, 1000, 'device', stream);
        storage.fill(0, 1, i, 1000, stream);
        const copy = Storage.allocate(device, 1000, 'device', stream);
        copy.copyFrom(0, storage, 0, 1000, stream);
        const bytes = new Uint8Array(1000);
        copy.readToHost(0, bytes, stream);
        expect(bytes[999]).toBe(i);
        storage.release();
        copy.release();
      }
      native().drainReleases(true);
    });
    expect(calls.filter(call => /Alloc|Free|Register/.test(call))).toEqual([]);
    raw.memFree(device.native, backing);
  });

  test('rules 96, 232: memory is freed by the driver after an event behind its work', () => {
    const { scope } = fresh(DefaultCUDAMemoryManager);
    using _ = scope;
    using stream = new Stream(on);
    const calls = callsOf(() => {
      const storage = Storage.allocate(device, 1000, 'device', stream);
      storage.fill(0, 1, 1, 1000, stream);
      storage.release();
      native().drainReleases(true);
    });
    const order = ['cuMemAlloc', 'cuMemsetD8Async', 'cuEventRecord', 'cuMemFree'];
    expect(calls.filter(call => order.includes(call))).toEqual(order);
  });
});

describe('out of memory', () => {
  const OUT_OF_MEMORY = 2;

  test.each<[string, string, () => Disposable]>([
    ['device', 'cuMemAlloc', () => memalloc(64, on)],
    ['managed', 'cuMemAllocManaged', () => memallocmanaged(64, on)],
    ['mapped', 'cuMemHostAlloc', () => memhostalloc(64, { ...on, mapped: true })],
    ['pinned', 'cuMemHostAlloc', () => memhostalloc(64, on)]
  ])('rule 209: %s memory is requested again, and then refused', (_kind, call, allocate) => {
    const { scope } = fresh(DefaultCUDAMemoryManager);
    using _ = scope;
    recording.fail(call, OUT_OF_MEMORY, 1);
    const calls = callsOf(() => allocate()[Symbol.dispose]());
    expect(calls.filter(name => name.startsWith(call))).toEqual([`${call} = CUDA_ERROR_OUT_OF_MEMORY`, call]);
    recording.fail(call, OUT_OF_MEMORY, -1);
    expect(allocate).toThrow(OutOfMemoryError);
    recording.reset();
    allocate()[Symbol.dispose]();
  });

  test('rules 209, 224: any other status is thrown unchanged, immediately', () => {
    const { scope } = fresh(DefaultCUDAMemoryManager);
    using _ = scope;
    recording.fail('cuMemAlloc', 1, -1);
    recording.clear();
    expect(() => memalloc(64, on)).toThrow(DriverError);
    expect(() => memalloc(64, on)).not.toThrow(OutOfMemoryError);
    expect(recording.log().filter(call => call.includes('cuMemAlloc'))).toHaveLength(2);
  });

  test('rules 209, 219: the pool tries a slab of exactly the requested size if a larger one does not fit', () => {
    const { scope, manager } = fresh<BestFitPoolMemoryManager>(BestFitPoolMemoryManager);
    using _ = scope;
    recording.fail('cuMemAlloc', OUT_OF_MEMORY, 1);
    using _memory = memalloc(1000, on);
    expect(manager.statistics()).toMatchObject({ held: KIBI, used: KIBI });
  });
});

describe('frees that fail', () => {
  test('rules 100, 210: are recorded, and the others still run', () => {
    const { scope, manager } = fresh<DefaultCUDAMemoryManager>(DefaultCUDAMemoryManager);
    using _ = scope;
    const blocks = [1, 2, 3].map(() => memalloc(64, on));
    recording.fail('cuMemFree', 1, 1);
    const calls = callsOf(() => {
      for (const block of blocks) block.free();
    });
    expect(calls).toEqual(['cuMemFree = CUDA_ERROR_INVALID_VALUE', 'cuMemFree', 'cuMemFree']);
    expect(manager.pending).toMatchObject({ count: 0, bytes: 0 });
    expect(manager.pending.failures).toEqual([expect.any(DriverError)]);
  });
});

describe('pools', () => {
  test('rule 219: reuse on one stream makes no driver call', () => {
    const { scope } = fresh(BestFitPoolMemoryManager);
    using _ = scope;
    using stream = new Stream(on);
    const once = (): void => {
      const storage = Storage.allocate(device, 1000, 'device', stream);
      storage.fill(0, 1, 1, 1000, stream);
      storage.release();
    };
    once();
    expect(callsOf(once)).toEqual(['cuMemsetD8Async']);
  });

  test('rules 219, 232: a block of several streams is waited for with events, not by the host', () => {
    const { scope, manager } = fresh<BestFitPoolMemoryManager>(BestFitPoolMemoryManager);
    using _ = scope;
    using one = new Stream(on);
    using two = new Stream(on);
    using three = new Stream(on);
    const shared = Storage.allocate(device, 1000, 'device', one);
    shared.fill(0, 1, 1, 1000, one);
    shared.fill(0, 1, 2, 1000, two);
    shared.release();
    expect(manager.statistics().keptBlocks).toBe(1);
    const calls = callsOf(() => Storage.allocate(device, 1000, 'device', three).release());
    expect(calls).toContain('cuStreamWaitEvent');
    expect(calls.filter(call => /Synchronize|Alloc|Free/.test(call))).toEqual([]);
  });

  test('rule 217: the async pool keeps its memory, allocates on the stream and frees on it after the work', () => {
    recording.clear();
    const calls = callsOf(() => {
      using _ = usingMemoryManager(class extends AsyncPoolMemoryManager {});
      currentManager(device);
    });
    expect(calls).toContain('cuMemPoolSetAttribute');
    const { scope } = fresh(AsyncPoolMemoryManager);
    using _ = scope;
    using stream = new Stream(on);
    recording.clear();
    const storage = Storage.allocate(device, 1000, 'device', stream);
    storage.fill(0, 1, 1, 1000, stream);
    storage.release();
    native().drainReleases(true);
    const handle = `stream 0x${stream.handle.toString(16)}`;
    const log = recording.log().filter(call => /Alloc|Memset|Free/.test(call));
    expect(log.map(call => call.slice(0, call.indexOf('(')))).toEqual([
      'cuMemAllocAsync',
      'cuMemsetD8Async',
      'cuMemFreeAsync'
    ]);
    for (const call of log) expect(call).toContain(handle);
  });
});
