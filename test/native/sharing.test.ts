/** The addon's calls for memory shared between processes, tested inside one; test/src/sharing uses two. */

import { closeSync, readdirSync, readFileSync } from 'node:fs';

import type { NativeDevice } from '../../src/native/binding.ts';
import { block, errorOf, loadAgain, native, settle, simulated, stream } from './support.ts';
import { until } from '../setup/until.ts';

const { channels, sharing, raw } = native;
const MEBI = 2 ** 20;
const used = (): number => {
  const { free, total } = simulated().memoryInfo();
  return total - free;
};
/** Open files, except those that the count itself opens. */
const files = (): number => readdirSync('/proc/self/fd').length;
const statusOf = (action: () => unknown): string | undefined => errorOf(action).statusName;

/** A storage over memory that a call returned, for writes and reads. */
function over(pointer: bigint, bytes: number) {
  return native.adopt(simulated(), pointer, bytes, 'device', null);
}

function byteAt(pointer: bigint, bytes: number, offset: number): number {
  const storage = over(pointer, bytes);
  const target = new Uint8Array(1);
  storage.readToHost(offset, target, simulated().legacyStream());
  storage.release();
  return target[0] as number;
}

function write(pointer: bigint, bytes: number, value: number): void {
  const storage = over(pointer, bytes);
  storage.fill(0, 1, value, bytes, simulated().legacyStream());
  storage.release();
}

beforeEach(settle);

describe('legacy handles', () => {
  test('rule 190: memory keeps its address and its bytes when it is shared, and belongs to this process alone again when freed', () => {
    const before = files();
    const storage = block(5000);
    storage.fill(0, 1, 7, 5000, simulated().legacyStream());
    const { pointer } = storage;
    const handle = raw.ipcMemHandle(simulated(), pointer + 100n);
    expect(handle).toHaveLength(64);
    expect(raw.ipcMemHandle(simulated(), pointer)).toEqual(handle);
    expect(files()).toBe(before + 1);
    expect(byteAt(pointer, 5000, 4999)).toBe(7);
    expect(statusOf(() => raw.ipcOpen(simulated(), handle))).toBe('CUDA_ERROR_INVALID_CONTEXT');
    storage.release();
    settle();
    expect(files()).toBe(before);
    expect(statusOf(() => raw.ipcOpen(simulated(), handle))).toBe('CUDA_ERROR_INVALID_HANDLE');
  });

  test('rule 194: invalid handles, and memory without one, are refused', () => {
    expect(statusOf(() => raw.ipcOpen(simulated(), new Uint8Array(64)))).toBe('CUDA_ERROR_INVALID_VALUE');
    expect(statusOf(() => raw.ipcClose(simulated(), 0x1000n))).toBe('CUDA_ERROR_INVALID_VALUE');
    const pooled = raw.memAllocAsync(simulated(), 64, stream());
    expect(statusOf(() => raw.ipcMemHandle(simulated(), pooled))).toBe('CUDA_ERROR_INVALID_VALUE');
    expect(simulated().pointerAttributes(pooled)?.legacyIpcCapable).toBe(false);
    raw.memFree(simulated(), pooled);
  });
});

describe('events', () => {
  test('have no timing, have a handle, and cannot be opened in their own process', () => {
    const event = sharing.eventCreate(simulated());
    expect(event.timing).toBe(false);
    const handle = sharing.eventHandle(event);
    expect(handle).toHaveLength(64);
    expect(statusOf(() => sharing.eventOpen(simulated(), handle))).toBe('CUDA_ERROR_INVALID_CONTEXT');
    event.destroy();
    expect(statusOf(() => sharing.eventOpen(simulated(), handle))).toBe('CUDA_ERROR_INVALID_HANDLE');
    const plain = native.createEvent(simulated(), false);
    expect(statusOf(() => sharing.eventHandle(plain))).toBe('CUDA_ERROR_INVALID_VALUE');
    plain.destroy();
  });
});

describe('pools', () => {
  test('rule 217: allocate and free memory, and share it by descriptor and data', () => {
    const before = used();
    const pool = sharing.poolCreate(simulated());
    const on = simulated().legacyStream();
    const first = sharing.poolAllocate(simulated(), pool, 10_000, on);
    const second = sharing.poolAllocate(simulated(), pool, 10_000, on);
    expect(used()).toBe(before + 20_000);
    expect(second).not.toBe(first);
    write(second, 10_000, 9);
    const descriptor = sharing.poolExport(simulated(), pool);
    const imported = sharing.poolImport(simulated(), descriptor);
    closeSync(descriptor);
    const data = sharing.poolExportPointer(simulated(), second);
    const twin = sharing.poolImportPointer(simulated(), imported, data);
    expect(twin).not.toBe(second);
    expect(byteAt(twin, 10_000, 9999)).toBe(9);
    expect(used()).toBe(before + 20_000);
    expect(statusOf(() => sharing.poolDestroy(simulated(), imported))).toBe('CUDA_ERROR_INVALID_VALUE');
    raw.memFreeAsync(simulated(), twin, on);
    sharing.poolDestroy(simulated(), imported);
    expect(statusOf(() => sharing.poolExportPointer(simulated(), second + 1n))).toBe(
      'CUDA_ERROR_INVALID_VALUE'
    );
    raw.memFreeAsync(simulated(), first, on);
    raw.memFreeAsync(simulated(), second, on);
    expect(statusOf(() => raw.memFreeAsync(simulated(), second, on))).toBe('CUDA_ERROR_INVALID_VALUE');
    // The gap left by the first is reused, and reads as zeros.
    const third = sharing.poolAllocate(simulated(), pool, 4096, on);
    expect([third, byteAt(third, 4096, 0)]).toEqual([first, 0]);
    raw.memFree(simulated(), third);
    sharing.poolTrim(simulated(), pool, 0);
    sharing.poolDestroy(simulated(), pool);
    expect(used()).toBe(before);
  });

  test('rule 209: that are full, unknown or not allocatable are errors that say so', () => {
    const pool = sharing.poolCreate(simulated());
    const on = simulated().legacyStream();
    const { totalMemory } = simulated();
    expect(statusOf(() => sharing.poolAllocate(simulated(), pool, totalMemory * 2, on))).toBe(
      'CUDA_ERROR_OUT_OF_MEMORY'
    );
    expect(statusOf(() => sharing.poolAllocate(simulated(), pool, 0, on))).toBe('CUDA_ERROR_INVALID_VALUE');
    expect(statusOf(() => sharing.poolAllocate(simulated(), 0x10n, 64, on))).toBe('CUDA_ERROR_INVALID_VALUE');
    expect(statusOf(() => sharing.poolExport(simulated(), 0x10n))).toBe('CUDA_ERROR_INVALID_VALUE');
    expect(statusOf(() => sharing.poolImportPointer(simulated(), pool, new Uint8Array(64)))).toBe(
      'CUDA_ERROR_INVALID_VALUE'
    );
    sharing.poolDestroy(simulated(), pool);
    expect(statusOf(() => sharing.poolDestroy(simulated(), pool))).toBe('CUDA_ERROR_INVALID_VALUE');
  });
});

describe('virtual memory', () => {
  test('is rounded to the unit of the device, mapped twice by descriptor, and freed when nobody has it', () => {
    const before = [used(), files()];
    const whole = sharing.virtualAllocate(simulated(), 3 * MEBI);
    expect(whole.bytes).toBe(4 * MEBI);
    expect(used()).toBe((before[0] as number) + 4 * MEBI);
    write(whole.pointer, whole.bytes, 5);
    const descriptor = sharing.virtualExport(simulated(), whole.handle);
    const twin = sharing.virtualImport(simulated(), descriptor, whole.bytes);
    closeSync(descriptor);
    expect(byteAt(twin.pointer, twin.bytes, 4 * MEBI - 1)).toBe(5);
    sharing.virtualFree(simulated(), whole.pointer, whole.bytes, whole.handle);
    expect(simulated().pointerAttributes(whole.pointer)).toBeNull();
    expect(byteAt(twin.pointer, twin.bytes, 0)).toBe(5);
    sharing.virtualFree(simulated(), twin.pointer, twin.bytes, twin.handle);
    expect(statusOf(() => sharing.virtualFree(simulated(), twin.pointer, twin.bytes, twin.handle))).toBe(
      'CUDA_ERROR_INVALID_VALUE'
    );
    expect([used(), files()]).toEqual(before);
  });

  test('rule 209: failures leave nothing behind', () => {
    const before = [used(), files()];
    const { totalMemory } = simulated();
    expect(statusOf(() => sharing.virtualAllocate(simulated(), totalMemory + 4 * MEBI))).toBe(
      'CUDA_ERROR_OUT_OF_MEMORY'
    );
    const whole = sharing.virtualAllocate(simulated(), 1);
    const descriptor = sharing.virtualExport(simulated(), whole.handle);
    expect(statusOf(() => sharing.virtualImport(simulated(), descriptor, 4 * MEBI))).toBe(
      'CUDA_ERROR_INVALID_VALUE'
    );
    closeSync(descriptor);
    sharing.virtualFree(simulated(), whole.pointer, whole.bytes, whole.handle);
    expect([used(), files()]).toEqual(before);
  });
});

test('shared host memory is zeroed, is the same where it is mapped again, and cannot be mapped past its end', () => {
  const maps = (): number => readFileSync('/proc/self/maps', 'utf8').split('memfd').length;
  const before = maps();
  const { pointer, descriptor } = sharing.hostAllocate(10_000);
  const twin = sharing.hostMap(descriptor, 10_000);
  const [first, second] = [raw.hostBuffer(pointer, 10_000, {}), raw.hostBuffer(twin, 10_000, {})];
  expect(new Uint8Array(second)[9999]).toBe(0);
  new Uint8Array(first)[9999] = 3;
  expect(new Uint8Array(second)[9999]).toBe(3);
  expect(errorOf(() => sharing.hostMap(descriptor, 20_000)).kind).toBe('buffer');
  expect(errorOf(() => sharing.hostAllocate(0)).kind).toBe('argument');
  for (const buffer of [first, second]) buffer.transfer(0);
  sharing.hostUnmap(pointer, 10_000);
  sharing.hostUnmap(twin, 10_000);
  channels.closeDescriptor(descriptor);
  expect(maps()).toBe(before);
});

test('a driver that lacks the functions is an error with their names, and nothing leaks', () => {
  const [recording] = native.devices('recording') as [NativeDevice];
  for (const [name, action] of [
    ['cuMemPoolCreate', () => sharing.poolCreate(recording)],
    ['cuMemGetAllocationGranularity', () => sharing.virtualAllocate(recording, 1)],
    ['cuIpcGetEventHandle', () => sharing.eventHandle(sharing.eventCreate(recording))]
  ] as const)
    expect(errorOf(action)).toMatchObject({
      kind: 'driver',
      call: name,
      statusName: 'CUDA_ERROR_NOT_SUPPORTED'
    });
});

describe('channels', () => {
  const ready = new Set<number>();
  channels.watch(number => ready.add(number));
  const told = async (number: number): Promise<void> => {
    await until(() => ready.delete(number));
  };
  const bytes = (text: string): Uint8Array => Buffer.from(text);

  async function pair(): Promise<[listener: number, near: number, far: number]> {
    const name = `stridelab-test-${process.pid}-${Math.random().toString(36).slice(2)}`;
    const listener = channels.listen(name);
    const near = channels.connect(name) as number;
    await told(listener);
    const far = channels.accept(listener) as number;
    expect(channels.accept(listener)).toBeNull();
    return [listener, near, far];
  }

  test('carry whole messages with open files, and report these and the end', async () => {
    const [listener, near, far] = await pair();
    expect(channels.peer(far)).toEqual({ process: process.pid, user: process.getuid?.(), sameUser: true });
    expect(channels.receive(far)).toBeUndefined();
    const { pointer, descriptor } = sharing.hostAllocate(4096);
    new Uint8Array(raw.hostBuffer(pointer, 4096, {}))[5] = 8;
    channels.send(near, bytes('one'), [descriptor]);
    channels.send(near, bytes('two'), []);
    await told(far);
    const first = channels.receive(far);
    expect(Buffer.from(first?.bytes ?? []).toString()).toBe('one');
    const [copy] = first?.descriptors ?? [];
    const twin = sharing.hostMap(copy as number, 4096);
    expect(new Uint8Array(raw.hostBuffer(twin, 4096, {}))[5]).toBe(8);
    expect(Buffer.from(channels.receive(far)?.bytes ?? []).toString()).toBe('two');
    expect(channels.receive(far)).toBeUndefined();
    expect(channels.alive(far)).toBe(true);
    channels.close(near);
    await told(far);
    expect(channels.alive(far)).toBe(false);
    expect(channels.receive(far)).toBeNull();
    expect(channels.send(far, bytes('late'), [])).toBe(false);
    expect(errorOf(() => channels.receive(near)).kind).toBe('freed');
    channels.closeDescriptor(copy as number);
    channels.closeDescriptor(descriptor);
    for (const number of [far, listener]) channels.close(number);
  });

  test('refuse invalid messages, names and numbers', async () => {
    const [listener, near, far] = await pair();
    for (const action of [
      () => channels.send(near, new Uint8Array(0), []),
      () => channels.send(near, bytes('x'), [0, 0, 0, 0, 0]),
      () => channels.send(near, bytes('x'), [-1]),
      () => channels.send(near, bytes('x'), null as unknown as number[]),
      () => channels.send(1.5, bytes('x'), []),
      () => channels.listen(5 as unknown as string),
      () => channels.watch({} as () => void)
    ])
      expect(errorOf(action).kind).toBe('argument');
    expect(errorOf(() => channels.listen('x'.repeat(200))).kind).toBe('buffer');
    expect(errorOf(() => channels.send(near, new Uint8Array(64 * MEBI), [])).message).toMatch(/too long/i);
    expect(errorOf(() => channels.send(near, bytes('x'), [9999])).kind).toBe('buffer');
    expect(() => loadAgain().channels.listen('stridelab-unwatched')).toThrow(/not watched yet/);
    expect(channels.connect('stridelab-nobody-is-here')).toBeNull();
    for (const number of [near, far, listener]) channels.close(number);
  });
});
