/** Schedule `hazard` and memory shared between processes: it is freed behind the work that uses it. */

import type { NativeStorage } from '../../src/native/binding.ts';
import { block, errorOf, native, record, settle, simulated, stream } from './support.ts';

const { raw, sharing } = native;

beforeEach(() => native.simulated.setSchedule('hazard'));
afterEach(() => {
  native.simulated.setSchedule('eager');
  settle();
});

function read(of: NativeStorage, on = stream()): number[] {
  const host = new Uint8Array(of.bytes);
  of.readToHost(0, host, on);
  return [...host];
}

test('pool memory that is freed in stream order is poisoned for late work, and then returned', () => {
  const pool = sharing.poolCreate(simulated());
  const { free } = simulated().memoryInfo();
  const on = stream();
  const pointer = sharing.poolAllocate(simulated(), pool, 4, on);
  native.adopt(simulated(), pointer, 4, 'device', null).fill(0, 1, 1, 4, on);
  on.synchronize();
  const late = stream();
  const target = block(4);
  target.copyFrom(0, native.adopt(simulated(), pointer, 4, 'device', null), 0, 4, late);
  raw.memFreeAsync(simulated(), pointer, on);
  expect(errorOf(() => raw.memFreeAsync(simulated(), pointer, on)).kind).toBe('driver');
  on.synchronize();
  expect(read(target, late)).toEqual([0xfd, 0xfd, 0xfd, 0xfd]);
  target.release();
  expect(simulated().memoryInfo().free).toBe(free);
  sharing.poolDestroy(simulated(), pool);
});

test('a pool can be destroyed as soon as its memory has been freed in stream order', () => {
  const pool = sharing.poolCreate(simulated());
  const on = stream();
  const pointer = sharing.poolAllocate(simulated(), pool, 2 ** 16, on);
  native.adopt(simulated(), pointer, 2 ** 16, 'device', null).fill(0, 1, 1, 2 ** 16, on);
  raw.memFreeAsync(simulated(), pointer, on);
  sharing.poolDestroy(simulated(), pool);
  expect(errorOf(() => sharing.poolDestroy(simulated(), pool)).kind).toBe('driver');
});

test('mapped memory is unmapped after the work that uses it', () => {
  const memory = sharing.virtualAllocate(simulated(), 100);
  const on = stream();
  const source = native.adopt(simulated(), memory.pointer, 4, 'device', null);
  source.fill(0, 1, 9, 4, on);
  const target = block(4);
  target.copyFrom(0, source, 0, 4, on);
  sharing.virtualFree(simulated(), memory.pointer, memory.bytes, memory.handle);
  expect(read(target)).toEqual([9, 9, 9, 9]);
});

test('work visible to another process runs when its event is recorded', () => {
  const a = block(4);
  const on = stream();
  a.fill(0, 1, 0, 4, on);
  on.synchronize();
  a.fill(0, 1, 7, 4, on);
  const other = native.adopt(simulated(), a.pointer, 4, 'device', null);
  expect(read(other)).toEqual([0, 0, 0, 0]);
  record(on, sharing.eventCreate(simulated()));
  expect(read(other)).toEqual([7, 7, 7, 7]);
});
