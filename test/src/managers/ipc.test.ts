/** IPC handles inside one process, with the test in the role of the other process's driver; test/src/sharing has two processes. */

import { zeros } from '../../../src/array/creation.ts';
import { IpcError } from '../../../src/base/errors.ts';
import { getIpcHandle, openIpcArray } from '../../../src/sharing/ipc-array.ts';
import {
  AsyncPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  IpcHandle,
  memalloc,
  memallocmanaged,
  MemoryPointer,
  usingMemoryManager,
  type IpcHandleFields
} from '../../../src/memory/index.ts';
import { stageThroughHost } from '../../../src/memory/ipc-staging.ts';
import { Storage } from '../../../src/memory/storage.ts';
import { native } from '../../../src/native/load.ts';
import { Stream } from '../../../src/core/stream.ts';
import { simulated } from './plugins.ts';

const on = { device: simulated } as const;
const source = { pciBusId: simulated.native.pciBusId, uuid: simulated.uuid };

const fields: IpcHandleFields = {
  handle: Buffer.alloc(64, 5).toString('base64'),
  size: 256,
  offset: 128,
  source,
  origin: 'another process'
};

/** Lets a test simulate the other process's memory; returns the calls that it received. */
function withMapping(pointer: bigint): { readonly calls: string[] } & Disposable {
  const { raw } = native();
  const { ipcOpen, ipcClose } = raw;
  const calls: string[] = [];
  Object.assign(raw, {
    ipcOpen: (_device: unknown, handle: Uint8Array) => {
      calls.push(`open ${handle[0]}`);
      return pointer;
    },
    ipcClose: (_device: unknown, at: bigint) => void calls.push(`close ${at === pointer}`)
  });
  return { calls, [Symbol.dispose]: () => void Object.assign(raw, { ipcOpen, ipcClose }) };
}

describe('export', () => {
  test('rules 188, 194: memory that cannot be shared is refused with the reason, before the driver is called', () => {
    using _ = usingMemoryManager(AsyncPoolMemoryManager);
    using pooled = memalloc(64, on);
    expect(() => getIpcHandle(pooled)).toThrow(IpcError);
    expect(() => getIpcHandle(pooled)).toThrow(/stream-ordered pool/);
    using empty = memalloc(0, on);
    expect(() => getIpcHandle(empty)).toThrow(/empty memory/);
    const gone = memalloc(64, on);
    gone.free();
    expect(() => getIpcHandle(gone)).toThrow(/was freed/);
  });

  test('rule 188: a handle names the whole allocation, and the offset of the memory in it', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager);
    using memory = memalloc(4096, on);
    using part = memory.view(1024, 2048);
    const handle = getIpcHandle(part);
    expect(handle).toMatchObject({ size: 1024, offset: 1024, source });
    expect(handle.handle).toEqual(getIpcHandle(memory).handle);
    expect(() => IpcHandle.from({ ...handle.toJSON(), origin: 'another' }).open()).toThrow(
      /CUDA_ERROR_INVALID_CONTEXT/
    );
  });

  test('rule 194: managed memory cannot be shared', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager);
    using managed = memallocmanaged(64, on);
    expect(() => currentManager(simulated).getIpcHandle(managed)).toThrow(IpcError);
  });

  test('rule 193: without CUDA IPC on the system, the error says so', () => {
    using memory = memalloc(64, on);
    const { platform } = process;
    Object.defineProperty(process, 'platform', { value: 'win32' });
    try {
      expect(() => getIpcHandle(memory)).toThrow(/requires Linux, this is win32/);
    } finally {
      Object.defineProperty(process, 'platform', { value: platform });
    }
  });
});

describe('a handle', () => {
  test('rule 191: is unchanged by JSON', () => {
    const handle = IpcHandle.from(JSON.parse(JSON.stringify(fields)) as IpcHandleFields);
    expect(handle.toJSON()).toEqual(fields);
    expect(handle.handle).toHaveLength(64);
    expect(handle.sourceDevice()).toBe(simulated);
  });

  test.each([
    [{ handle: Buffer.alloc(63).toString('base64') }],
    [{ size: -1 }],
    [{ size: 1.5 }],
    [{ offset: NaN }],
    [{ origin: 4 as unknown as string }],
    [{ source: undefined as unknown as IpcHandleFields['source'] }]
  ])('rule 191: %j is refused', change => {
    expect(() => IpcHandle.from({ ...fields, ...change })).toThrow(IpcError);
  });

  test('rules 188, 189: opens at its offset, and has its own close', () => {
    using backing = memalloc(4096, on);
    using mapping = withMapping(backing.pointer);
    const handle = IpcHandle.from(fields);
    const memory = handle.open();
    expect(memory).toMatchObject({ pointer: backing.pointer + 128n, size: 256, context: simulated });
    expect(handle.opened).toBe(true);
    handle.close();
    expect(memory.freed).toBe(true);
    expect(mapping.calls).toEqual(['open 5', 'close true']);
  });

  test('rule 190: opening twice, closing without opening and opening in the same process are errors', () => {
    using backing = memalloc(4096, on);
    using mapping = withMapping(backing.pointer);
    const handle = IpcHandle.from(fields);
    expect(() => handle.close()).toThrow(/not open/);
    handle.open();
    expect(() => handle.open()).toThrow(/open already/);
    handle.close();
    expect(() => handle.close()).toThrow(/not open/);
    const own = new IpcHandle(null, new Uint8Array(64), 8, source);
    expect(() => own.open()).toThrow(/cannot open its handle/);
    expect(mapping.calls).toHaveLength(2);
  });

  test('rule 195: using closes, also on an error, and only once', () => {
    using backing = memalloc(4096, on);
    using mapping = withMapping(backing.pointer);
    expect(() => {
      using handle = IpcHandle.from(fields);
      handle.open();
      throw new Error('in between');
    }).toThrow('in between');
    expect(mapping.calls).toEqual(['open 5', 'close true']);
    IpcHandle.from(fields)[Symbol.dispose]();
    expect(mapping.calls).toHaveLength(2);
  });

  test('rule 191: a device that is invisible to this process is named', () => {
    const far = IpcHandle.from({ ...fields, source: { pciBusId: '0000:ff:00.0', uuid: 'GPU-0' } });
    expect(() => far.open()).toThrow(/GPU-0 \(PCI 0000:ff:00.0\), which is not visible to this process/);
  });
});

describe('arrays', () => {
  test('rules 188, 195: strides of any sign count in the size, and disposing closes after the work', () => {
    using backing = memalloc(4096, on);
    using mapping = withMapping(backing.pointer);
    const handle = IpcHandle.from(fields);
    const array = openIpcArray(handle, { shape: [4, 8], dtype: 'float32', strides: [64, 4] });
    expect(array.pointer).toBe(backing.pointer + 128n);
    array.fill(2.5);
    expect(array.item(3, 7)).toBe(2.5);
    array.dispose();
    native().drainReleases(true);
    expect(handle.opened).toBe(false);
    expect(mapping.calls).toEqual(['open 5', 'close true']);
  });

  test('rule 194: an array reports why its memory cannot be shared', () => {
    using _ = usingMemoryManager(DefaultCUDAMemoryManager);
    using array = zeros([4, 4], on);
    expect(getIpcHandle(array)).toMatchObject({ size: 128, offset: 0 });
    using flipped = array.slice('::-1');
    expect(() => getIpcHandle(flipped)).toThrow(/negative strides/);
  });

  test.each([
    ['longer than the memory', [65], null],
    ['strides that leave it', [4, 8], [80, 4]],
    ['strides that go before it', [8], [-4]],
    ['too few strides', [4, 8], [4]]
  ])('rule 195: %s is refused, and nothing stays open', (_name, shape, strides) => {
    using mapping = withMapping(0x1000n);
    const handle = IpcHandle.from(fields);
    expect(() => openIpcArray(handle, { shape, dtype: 'float32', strides })).toThrow(IpcError);
    expect(handle.opened).toBe(false);
    expect(mapping.calls).toEqual([]);
  });
});

test('rule 192: memory staged through the host is a copy with one owner', () => {
  using original = memalloc(1024, on);
  const stream = Stream.legacyDefault(simulated);
  const storage = Storage.over(original.retain());
  storage.fill(0, 1, 42, 1024, stream);
  const copy = stageThroughHost(new MemoryPointer(simulated, original.pointer, 1024), simulated);
  expect(copy.pointer).not.toBe(original.pointer);
  storage.fill(0, 1, 0, 1024, stream);
  const read = Storage.over(copy.retain());
  const bytes = new Uint8Array(1);
  read.readToHost(1023, bytes, stream);
  expect(bytes[0]).toBe(42);
  read.release();
  storage.release();
  native().drainReleases(true);
  expect(copy.freed).toBe(false);
  copy.free();
  expect(() => copy.free()).toThrow(/the memory was freed/);
});
