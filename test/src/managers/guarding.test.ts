/** The memory manager with guard margins. */

import type { OverrunReport } from '../../../src/base/hazard-report.ts';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  GuardingAdaptor,
  memalloc,
  memallocmanaged,
  memhostalloc,
  resetMemory,
  usingMemoryManager,
  type MemoryManagerClass,
  type MemoryPointer
} from '../../../src/memory/index.ts';
import { Storage } from '../../../src/memory/storage.ts';
import { native } from '../../../src/native/load.ts';
import { Stream } from '../../../src/core/stream.ts';
import { DeviceOnlyPlugin, simulated } from './plugins.ts';

const on = { device: simulated };
const BYTES = 100;

function guarded(upstream: MemoryManagerClass = DefaultCUDAMemoryManager): {
  readonly reports: OverrunReport[];
  readonly scope: Disposable;
} {
  const reports: OverrunReport[] = [];
  const managerClass = GuardingAdaptor.over(upstream, { report: report => void reports.push(report) });
  return { reports, scope: usingMemoryManager(managerClass) };
}

/** Writes like a kernel without bounds checks. */
function poke(pointer: bigint, bytes: number, value = 1): void {
  using stream = new Stream(on);
  const memory = native().adopt(simulated.native, pointer, bytes, 'device', null);
  memory.fill(0, 1, value, bytes, stream.native);
  stream.synchronize();
  memory.release();
}

function peek(pointer: bigint, bytes: number): number[] {
  using stream = new Stream(on);
  const memory = native().adopt(simulated.native, pointer, bytes, 'device', null);
  const host = new Uint8Array(bytes);
  memory.readToHost(0, host, stream.native);
  memory.release();
  return [...host];
}

function check(): OverrunReport[] {
  return (currentManager(simulated) as GuardingAdaptor).checkAll();
}

/** Without the twin that the collector frees. */
function allocate(bytes = BYTES): MemoryPointer {
  return currentManager(simulated).memalloc(bytes);
}

describe.each([
  ['the default manager', DefaultCUDAMemoryManager],
  ['the best-fit pool', BestFitPoolMemoryManager],
  ['the async pool', AsyncPoolMemoryManager]
] as const)('over %s', (_name, upstream) => {
  test('memory is aligned as before, of the requested size, and new', () => {
    const { scope } = guarded(upstream);
    using _scope = scope;
    using memory = memalloc(BYTES, on);
    expect([memory.size, memory.pointer % 256n, memory.kind]).toEqual([BYTES, 0n, 'device']);
    expect(peek(memory.pointer, BYTES)).toEqual(Array<number>(BYTES).fill(0xff));
  });

  test('writes inside the block are not reported', () => {
    const { scope, reports } = guarded(upstream);
    using _scope = scope;
    const memory = allocate();
    poke(memory.pointer, BYTES);
    expect(check()).toEqual([]);
    memory.release();
    expect(reports).toEqual([]);
  });

  test.each([
    ['the byte after the end', BYTES, 1, 'up to 1 bytes past the end'],
    ['the last byte of the margin', BYTES + 255, 1, 'up to 256 bytes past the end'],
    ['some bytes after the end', BYTES + 4, 8, 'up to 12 bytes past the end'],
    ['the byte before the start', -1, 1, 'up to 1 bytes before the start'],
    ['the first byte of the margin', -256, 1, 'up to 256 bytes before the start']
  ])('%s is found when the memory is freed', (_what, offset, bytes, text) => {
    const { scope, reports } = guarded(upstream);
    using _scope = scope;
    const memory = allocate();
    const { pointer } = memory;
    poke(pointer + BigInt(offset), bytes);
    memory.release();
    expect(reports).toMatchObject([
      {
        kind: 'write out of bounds',
        pointer: pointer + BigInt(offset),
        bytes,
        block: { pointer, bytes: BYTES }
      }
    ]);
    expect(reports[0]?.text).toMatch(text);
    expect(reports[0]?.text).toMatch('found when it was freed');
    expect(reports[0]?.block.stack[0]).toMatch('guarding.test.ts');
  });

  test('checkAll finds it immediately, and then not again', () => {
    const { scope, reports } = guarded(upstream);
    using _scope = scope;
    const memory = allocate();
    poke(memory.pointer + BigInt(BYTES), 2);
    poke(memory.pointer - 3n, 2);
    expect(check().map(({ bytes }) => bytes)).toEqual([2, 2]);
    expect(check()).toEqual([]);
    memory.release();
    expect(reports).toHaveLength(2);
  });

  test('arrays are allocated from it, in the order of their streams', () => {
    const { scope, reports } = guarded(upstream);
    using _scope = scope;
    using first = new Stream(on);
    using second = new Stream(on);
    for (let round = 0; round < 20; round++) {
      const stream = round % 2 === 0 ? first : second;
      const storage = Storage.allocate(simulated, BYTES, 'device', stream);
      storage.fill(0, 1, round, BYTES, stream);
      const host = new Uint8Array(BYTES);
      storage.readToHost(0, host, round % 3 === 0 ? first : second);
      expect(new Set(host)).toEqual(new Set([round]));
      storage.release();
    }
    simulated.synchronize();
    native().drainReleases();
    expect(reports).toEqual([]);
    expect(check()).toEqual([]);
  });
});

test('freed memory is poisoned before it is returned', () => {
  const { scope } = guarded(BestFitPoolMemoryManager);
  using _scope = scope;
  const keeper = allocate();
  const memory = allocate();
  const { pointer } = memory;
  poke(pointer, BYTES, 7);
  memory.release();
  expect(peek(pointer, BYTES)).toEqual(Array<number>(BYTES).fill(0xfe));
  keeper.release();
});

test('managed and host memory have margins too', () => {
  const { scope, reports } = guarded();
  using _scope = scope;
  const managed = memallocmanaged(BYTES, on);
  expect(managed.kind).toBe('managed');
  poke(managed.pointer + BigInt(BYTES), 1);
  managed.release();
  for (const mapped of [true, false] as const) {
    const host = mapped ? memhostalloc(BYTES, { ...on, mapped }) : memhostalloc(BYTES, on);
    const bytes = new Uint8Array(host.buffer);
    expect([bytes.length, bytes[0], 'hostPointer' in host]).toEqual([BYTES, 0xff, mapped]);
    bytes.fill(3);
    const pointer = 'hostPointer' in host ? host.hostPointer : host.pointer;
    new Uint8Array(native().raw.hostBuffer(pointer - 1n, 1, {}))[0] = 0;
    host.release();
  }
  expect(reports.map(({ bytes, block }) => [bytes, block.bytes])).toEqual([
    [1, BYTES],
    [1, BYTES],
    [1, BYTES]
  ]);
});

test('memory pinned in place has no margins', () => {
  const { scope, reports } = guarded();
  using _scope = scope;
  const owner = currentManager(simulated).memhostalloc(64);
  const pinned = currentManager(simulated).mempin(owner, owner.pointer, 64, true);
  expect(pinned.size).toBe(64);
  pinned.release();
  owner.release();
  expect(reports).toEqual([]);
});

test('zero bytes are allowed, and a reset ends earlier memory', () => {
  const { scope, reports } = guarded();
  using _scope = scope;
  const nothing = allocate(0);
  expect([nothing.pointer, nothing.size]).toEqual([0n, 0]);
  const memory = allocate();
  resetMemory(simulated);
  expect(check()).toEqual([]);
  memory.release();
  expect(reports).toEqual([]);
});

test('addresses unknown to the driver are not touched', () => {
  const { scope, reports } = guarded(DeviceOnlyPlugin);
  using _scope = scope;
  const memory = currentManager(simulated).memalloc(BYTES);
  memory.release();
  expect(reports).toEqual([]);
});
