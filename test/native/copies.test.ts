import type { MemoryKind, NativeStorage } from '../../src/native/binding.ts';
import { block, errorOf, native, rejectionOf, simulated, stream } from './support.ts';

const on = stream();

function bytesOf(storage: NativeStorage): number[] {
  const target = new Uint8Array(storage.bytes);
  storage.readToHost(0, target, on);
  return [...target];
}

describe('copies', () => {
  test('go to the device and back', () => {
    const storage = block(32);
    storage.writeFromHost(0, Float64Array.of(1.5, -2, 3, NaN), on);
    const target = new Float64Array(4);
    storage.readToHost(0, target, on);
    expect([...target]).toEqual([1.5, -2, 3, NaN]);
  });

  test('read the source at the time of the call', () => {
    const storage = block(4);
    const source = Uint8Array.of(1, 2, 3, 4);
    storage.writeFromHost(0, source, on);
    source.fill(9);
    expect(bytesOf(storage)).toEqual([1, 2, 3, 4]);
  });

  test('respect the offsets of views, DataView and shared memory', () => {
    const storage = block(8);
    storage.fill(0, 1, 0, 8, on);
    const buffer = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8).buffer;
    storage.writeFromHost(1, new Uint8Array(buffer, 2, 3), on);
    storage.writeFromHost(6, new DataView(buffer, 6), on);
    const shared = new Uint8Array(new SharedArrayBuffer(10), 1, 8);
    storage.readToHost(0, shared, on);
    expect([...shared]).toEqual([0, 3, 4, 5, 0, 0, 7, 8]);
  });

  test('on the device keep bytes outside the range', () => {
    const [source, target] = [block(8), block(8)];
    source.writeFromHost(0, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), on);
    target.fill(0, 1, 0, 8, on);
    target.copyFrom(2, source, 4, 3, on);
    expect(bytesOf(target)).toEqual([0, 0, 5, 6, 7, 0, 0, 0]);
  });

  test('inside one storage work where the ranges are apart, and are refused where they overlap', () => {
    const storage = block(8);
    storage.writeFromHost(0, Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8), on);
    storage.copyFrom(0, storage, 4, 4, on);
    expect(bytesOf(storage)).toEqual([5, 6, 7, 8, 5, 6, 7, 8]);
    expect(errorOf(() => storage.copyFrom(0, storage, 3, 4, on)).kind).toBe('argument');
  });

  test.each<MemoryKind>(['pinned', 'managed'])('work with %s memory', kind => {
    const storage = native.allocate(simulated(), 4, kind);
    storage.writeFromHost(0, Uint8Array.of(1, 2, 3, 4), on);
    expect(bytesOf(storage)).toEqual([1, 2, 3, 4]);
  });

  test('that exceed the storage are refused, and the range is named', () => {
    const storage = block(16);
    const info = errorOf(() => storage.writeFromHost(8, new Uint8Array(9), on));
    expect(info.kind).toBe('bounds');
    expect(info.message).toBe('9 bytes from offset 8 leave a storage of 16 bytes');
    expect(errorOf(() => storage.readToHost(17, new Uint8Array(0), on)).kind).toBe('bounds');
    expect(errorOf(() => storage.copyFrom(0, block(8), 4, 8, on)).kind).toBe('bounds');
    expect(errorOf(() => storage.copyFrom(12, block(8), 0, 8, on)).kind).toBe('bounds');
    expect(errorOf(() => storage.fill(8, 4, 0, 3, on)).kind).toBe('bounds');
    expect(errorOf(() => storage.fill(0, 4, 0, Number.MAX_SAFE_INTEGER, on)).kind).toBe('bounds');
  });

  test('refuse arguments of the wrong kind', () => {
    const storage = block(16);
    expect(errorOf(() => storage.writeFromHost(0, [1, 2] as never, on)).kind).toBe('argument');
    expect(errorOf(() => storage.writeFromHost(0, new ArrayBuffer(8) as never, on)).kind).toBe('argument');
    expect(errorOf(() => storage.writeFromHost(-1, new Uint8Array(1), on)).kind).toBe('argument');
    expect(errorOf(() => storage.writeFromHost(0, new Uint8Array(1), {} as never)).kind).toBe('argument');
    expect(errorOf(() => storage.copyFrom(0, on as never, 0, 1, on)).kind).toBe('argument');
  });
});

describe('fills', () => {
  test.each([
    [1, 0xab, [0xab, 0xab, 0xab, 0xab]],
    [2, 0x1234, [0x34, 0x12, 0x34, 0x12]],
    [4, 0xdeadbeef, [0xef, 0xbe, 0xad, 0xde]]
  ] as const)('of %d bytes repeat the pattern', (width, pattern, expected) => {
    const storage = block(8);
    storage.fill(0, 1, 0, 8, on);
    storage.fill(4, width, pattern, 4 / width, on);
    expect(bytesOf(storage)).toEqual([0, 0, 0, 0, ...expected]);
  });

  test.each([
    [0, 3, 0],
    [0, 8, 0],
    [0, 1, 256],
    [0, 2, -1],
    [0, 4, 0.5],
    [2, 4, 0]
  ])('refuse offset %d, width %d, pattern %d', (offset, width, pattern) => {
    expect(errorOf(() => block(16).fill(offset, width as 1, pattern, 1, on)).kind).toBe('argument');
  });
});

describe('copies on a worker thread', () => {
  test('fill the target', async () => {
    const storage = block(1 << 20);
    const source = new Uint32Array(1 << 18).map((_, index) => index);
    storage.writeFromHost(0, source, on);
    const target = new Uint32Array(1 << 18);
    await storage.readToHostAsync(0, target, on);
    expect(target).toEqual(source);
  });

  test('read the bytes at the time of the call, though they are overwritten before the copy runs', async () => {
    const storage = block(4);
    const targets = Array.from({ length: 16 }, () => new Uint8Array(4));
    const reads = targets.map((target, index) => {
      storage.fill(0, 1, index, 4, on);
      return storage.readToHostAsync(0, target, on);
    });
    storage.fill(0, 1, 99, 4, stream());
    await Promise.all(reads);
    expect(targets.map(target => target[3])).toEqual(targets.map((_, index) => index));
  });

  test('keep the memory alive though it is released meanwhile', async () => {
    const storage = block(4);
    storage.fill(0, 1, 7, 4, on);
    const target = new Uint8Array(4);
    const read = storage.readToHostAsync(0, target, on);
    storage.release();
    await read;
    expect([...target]).toEqual([7, 7, 7, 7]);
  });

  test('reject instead of throwing', async () => {
    const storage = block(4);
    expect((await rejectionOf(storage.readToHostAsync(0, new Uint8Array(5), on))).kind).toBe('bounds');
    expect((await rejectionOf(storage.readToHostAsync(0, 5 as never, on))).kind).toBe('argument');
    await storage.readToHostAsync(0, new Uint8Array(0), on);
  });
});
