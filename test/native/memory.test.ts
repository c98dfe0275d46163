import type { MemoryKind, NativeDevice } from '../../src/native/binding.ts';
import { block, errorOf, loadAgain, native, rejectionOf, settle, simulated, stream } from './support.ts';

const MEBI = 2 ** 20;

beforeEach(settle);

describe('allocation', () => {
  test.each<MemoryKind>(['device', 'pinned', 'managed'])('of %s memory is aligned and counted', kind => {
    const before = native.liveBlocks();
    const storage = native.allocate(simulated(), 1000, kind);
    expect(storage.kind).toBe(kind);
    expect(storage.bytes).toBe(1000);
    expect(storage.pointer % 256n).toBe(0n);
    expect(storage.pointer).toBeGreaterThan(0n);
    expect(storage.device).toBe(simulated());
    expect(native.liveBlocks()).toEqual({ count: before.count + 1, bytes: before.bytes + 1000 });
    storage.release();
    expect(native.liveBlocks()).toEqual(before);
  });

  test('takes from the free memory of the device, and release returns it', () => {
    const before = simulated().memoryInfo().free;
    const storage = block(MEBI);
    expect(simulated().memoryInfo().free).toBe(before - MEBI);
    storage.release();
    expect(simulated().memoryInfo().free).toBe(before);
  });

  test('of zero bytes is an empty block', () => {
    const storage = block(0);
    expect(storage.pointer).toBe(0n);
    const on = stream();
    storage.writeFromHost(0, new Uint8Array(0), on);
    storage.fill(0, 4, 1, 0, on);
    expect(on.sequence).toBe(0);
    expect(errorOf(() => storage.fill(0, 1, 1, 1, on)).kind).toBe('bounds');
    storage.release();
    expect(storage.released).toBe(true);
  });

  test('beyond the device is out of memory, with the driver status', () => {
    const info = errorOf(() => block(simulated().totalMemory + 1));
    expect(info).toMatchObject({
      kind: 'driver',
      call: 'cuMemAlloc',
      status: 2,
      statusName: 'CUDA_ERROR_OUT_OF_MEMORY'
    });
    expect(info.message).toContain(`${simulated().totalMemory + 1} bytes of device memory`);
  });

  test.each([-1, 1.5, NaN, 2 ** 53, '8', 8n, null])('refuses %p bytes', bytes => {
    expect(errorOf(() => block(bytes as number)).kind).toBe('argument');
  });

  test('refuses an unknown kind of memory', () => {
    expect(errorOf(() => native.allocate(simulated(), 8, 'texture' as 'device')).kind).toBe('argument');
  });
});

describe('release', () => {
  /** A block that pending work uses, and the free bytes before it was allocated. */
  const busyBlock = () => {
    const device = simulated();
    device.synchronize();
    const before = device.memoryInfo().free;
    const [storage, on] = [block(MEBI), stream()];
    storage.writeFromHost(0, new Uint8Array(MEBI), on);
    return { device, before, storage, on };
  };

  test('is idempotent, and later use is refused', async () => {
    const storage = block(64);
    const on = stream();
    storage.release();
    storage.release();
    expect(storage.released).toBe(true);
    expect(storage.bytes).toBe(64);
    expect(storage.device).toBe(simulated());
    expect(errorOf(() => storage.pointer).kind).toBe('freed');
    expect(errorOf(() => storage.uses()).kind).toBe('freed');
    expect(errorOf(() => storage.join(false)).kind).toBe('freed');
    expect(errorOf(() => storage.fill(0, 1, 0, 1, on)).kind).toBe('freed');
    expect(errorOf(() => block(64).copyFrom(0, storage, 0, 8, on)).kind).toBe('freed');
    expect((await rejectionOf(storage.readToHostAsync(0, new Uint8Array(8), on))).kind).toBe('freed');
  });

  test('waits for the work that uses the block, without blocking', () => {
    const { device, before, storage, on } = busyBlock();
    storage.release();
    expect(on.query()).toBe(false);
    expect(device.memoryInfo().free).toBe(before - MEBI);
    on.synchronize();
    expect(device.memoryInfo().free).toBe(before);
  });

  test('waits for streams that were destroyed in the meantime', () => {
    const { device, before, storage, on } = busyBlock();
    on.destroy();
    storage.release();
    expect(device.memoryInfo().free).toBe(before - MEBI);
    device.synchronize();
    expect(device.memoryInfo().free).toBe(before);
  });

  test('is completed early for an allocation that needs the memory', () => {
    const half = Math.floor(simulated().totalMemory * 0.6);
    const storage = block(half);
    const on = stream();
    storage.writeFromHost(0, new Uint8Array(MEBI), on);
    storage.release();
    const next = block(half);
    expect(next.bytes).toBe(half);
    next.release();
  });
});

describe('pointer attributes', () => {
  test('describe the allocation around an interior pointer', () => {
    const storage = block(1000);
    const start = storage.pointer;
    expect(simulated().pointerAttributes(start + 999n)).toMatchObject({
      memoryType: 'device',
      managed: false,
      deviceOrdinal: 0,
      hostPointer: null,
      devicePointer: start + 999n,
      rangeStart: start,
      rangeBytes: 1000,
      legacyIpcCapable: true
    });
    expect(simulated().pointerAttributes(start + 1000n)).toBeNull();
    storage.release();
    expect(simulated().pointerAttributes(start)).toBeNull();
  });

  test('distinguish pinned and managed memory', () => {
    const pinned = native.allocate(simulated(), 16, 'pinned');
    const managed = native.allocate(simulated(), 16, 'managed');
    expect(simulated().pointerAttributes(pinned.pointer)).toMatchObject({
      memoryType: 'host',
      managed: false,
      hostPointer: pinned.pointer
    });
    expect(simulated().pointerAttributes(managed.pointer)).toMatchObject({
      memoryType: 'device',
      managed: true,
      hostPointer: managed.pointer
    });
    pinned.release();
    managed.release();
  });

  test('give each allocation a unique number', () => {
    const [first, second] = [block(16), block(16)];
    const ids = [first, second].map(({ pointer }) => simulated().pointerAttributes(pointer)?.bufferId);
    expect(ids[0]).not.toBe(ids[1]);
  });

  test('are null for addresses unknown to the driver', () => {
    expect(simulated().pointerAttributes(0n)).toBeNull();
    expect(simulated().pointerAttributes(2n ** 64n - 1n)).toBeNull();
  });

  test.each([1, -1n, 2n ** 64n, '0x10', null])('refuse %p as an address', pointer => {
    expect(errorOf(() => simulated().pointerAttributes(pointer as bigint)).kind).toBe('argument');
  });
});

describe('the collector', () => {
  test('rule 229: is informed of the bytes that objects keep, so that it runs automatically', () => {
    // An environment without a collector function: only V8's heuristics free anything here.
    const other = loadAgain();
    const [device] = other.devices('simulated') as [NativeDevice];
    const count = 200;
    const before = other.liveBlocks().count;
    let most = 0;
    for (let i = 0; i < count; i++) {
      other.allocate(device, 2 ** 25, 'device');
      most = Math.max(most, other.liveBlocks().count - before);
    }
    expect(most).toBeLessThan(count);
  });
});
