/** The memory log: its records under each manager, what it drops, and its cost while it is off. */

import { describeMemory } from '../../../src/pictures/memory/picture.ts';
import {
  AsyncPoolMemoryManager,
  BestFitPoolMemoryManager,
  currentManager,
  DefaultCUDAMemoryManager,
  LimitingAdaptor,
  memalloc,
  resetMemory,
  StatisticsAdaptor,
  usingMemoryManager,
  type MemoryManagerClass
} from '../../../src/memory/index.ts';
import {
  arange,
  devices,
  fromCudaArrayInterface,
  memoryLog,
  Stream,
  zeros,
  type Device,
  type LoggedAllocation,
  type MemoryEvent
} from '../../../src/index.ts';
import { toDevice } from '../../../src/core/device.ts';
import { native } from '../../../src/native/load.ts';
import { renderMemoryHtml } from '../../../src/pictures/memory/render.ts';
import { memoryObserver } from '../../../src/memory/manager/observer.ts';
import { collectGarbage } from '../../../src/native/load.ts';
import { ALLOCATION_FIELDS } from '../../../src/pictures/memory/schema.ts';
import { DISPLAY_METHOD } from '../../../src/notebook/host.ts';
import { until } from '../../setup/until.ts';
import { skipUnderPlugin } from '../managers/skip.ts';

const device = devices().find(({ label }) => label === 'sim:0') as Device;
const MEBI = 2 ** 20;
const managers: readonly (readonly [string, MemoryManagerClass])[] = [
  ['default', DefaultCUDAMemoryManager],
  ['best-fit pool', BestFitPoolMemoryManager],
  ['async pool', AsyncPoolMemoryManager],
  ['adaptor over a pool', StatisticsAdaptor.over(BestFitPoolMemoryManager)]
];

const kinds = (events: readonly MemoryEvent[]): string[] =>
  events.map(({ kind }) => kind).filter(kind => !kind.startsWith('segment'));
const subject = (event: MemoryEvent | undefined): LoggedAllocation => event?.subject as LoggedAllocation;

afterEach(() => memoryLog.stop());

describe.each(managers)('%s', (_name, managerClass) => {
  test('each allocation and each free is an event, in order, with bytes, stream and stack', () => {
    using _ = usingMemoryManager(managerClass);
    using stream = new Stream({ device });
    memoryLog.start();
    const a = zeros([1000], { device });
    const b = zeros([300, 7], { dtype: 'float32', stream });
    const { pointer } = a;
    a.dispose();
    b.dispose();
    const { events, alive, dropped } = memoryLog.read();
    const seen = events.filter(({ kind }) => !kind.startsWith('segment'));
    expect(kinds(events)).toEqual(['allocate', 'allocate', 'free', 'free']);
    const [first, second, third] = seen;
    expect(subject(first)).toMatchObject({ requested: 8000, kind: 'device', pointer, device });
    expect(subject(first).bytes).toBeGreaterThanOrEqual(8000);
    expect(subject(first).array).toEqual({ dtype: 'float64', shape: [1000] });
    expect(subject(first).stack[0]).toMatch(/memory-log\.test/);
    expect(subject(second).stream?.id).toBe(stream.id);
    expect(third?.subject).toBe(first?.subject);
    expect(subject(first).freed).toEqual({ number: third?.number, time: third?.time });
    expect(seen.map(({ time }) => time)).toEqual(seen.map(({ time }) => time).toSorted((x, y) => x - y));
    expect([alive.filter(({ made }) => made !== null), dropped]).toEqual([[], 0]);
  });

  test('a view frees nothing; the last array does', () => {
    using _ = usingMemoryManager(managerClass);
    memoryLog.start();
    const a = zeros([100], { device });
    const view = a.slice('::2');
    a.dispose();
    expect(kinds(memoryLog.read().events)).toEqual(['allocate']);
    view.dispose();
    expect(kinds(memoryLog.read().events)).toEqual(['allocate', 'free']);
  });

  test('memory that the collector frees is freed in the log too', async () => {
    using _ = usingMemoryManager(managerClass);
    memoryLog.start();
    (() => zeros([5000], { device }))();
    const isFreed = (): boolean =>
      memoryLog.read().events.some(({ kind, subject: of }) => kind === 'free' && of.bytes >= 40_000);
    await until(() => {
      collectGarbage();
      native().drainReleases(true);
      return isFreed();
    });
  }, 20_000);

  test('earlier memory is included, and its end is recorded', () => {
    using _ = usingMemoryManager(managerClass);
    const before = zeros([2000], { device });
    const { pointer } = before;
    memoryLog.start();
    const taken = memoryLog.read().alive.find(one => one.pointer === pointer);
    expect(taken).toMatchObject({ made: null, cell: null, stack: [] });
    before.dispose();
    expect(taken?.freed).not.toBeNull();
    expect(memoryLog.read().alive.some(one => one.pointer === pointer)).toBe(false);
  });

  test('a refused request is recorded with its size, the free memory and the reason', () => {
    using _ = usingMemoryManager(managerClass);
    memoryLog.start();
    expect(() => zeros([2 ** 40], { device })).toThrow(/memory|no room/);
    const failure = memoryLog.read().events.find(({ kind }) => kind === 'failure')?.subject;
    expect(failure).toMatchObject({ bytes: 2 ** 43, device });
    expect(failure).toHaveProperty('free', device.memoryInfo().free);
    expect((failure as { reason: string }).reason).toMatch(/^Too large: the device has .* free/);
  });

  test('a reset frees everything of its manager, and only that', () => {
    const other = zeros([100], { device });
    using _ = usingMemoryManager(managerClass);
    memoryLog.start();
    const a = zeros([100], { device });
    resetMemory(device);
    const made = subject(memoryLog.read().events.find(({ kind }) => kind === 'allocate'));
    expect(made.freed).not.toBeNull();
    // A later array may get the same address: disposing the first one does not end it.
    const later = zeros([100], { device });
    a.dispose();
    expect(memoryLog.read().alive.filter(({ made: at }) => at !== null)).toHaveLength(1);
    later.dispose();
    other.dispose();
  });

  test('the picture agrees with the driver', () => {
    using _ = usingMemoryManager(managerClass);
    memoryLog.start();
    const shown = (variables: Record<string, unknown>) => {
      const found = describeMemory(memoryLog, variables).devices.find(({ label }) => label === 'sim:0');
      const { total = 0, free = 0, used = 0, kept = 0 } = found ?? {};
      return { total, free, used, outside: total - free - used - kept };
    };
    const before = shown({});
    using a = zeros([1000, 1000], { device });
    const during = shown({ a });
    expect(during).toMatchObject(device.memoryInfo());
    expect(during.used - before.used).toBeGreaterThanOrEqual(a.nbytes);
    // Memory left by other tests of this process is outside both before and after.
    expect(during.outside).toBe(before.outside);
  });
});

describe('pools', () => {
  test('slabs are events; holes and the largest of them are counted', () => {
    using _ = usingMemoryManager(class extends BestFitPoolMemoryManager {});
    memoryLog.start();
    const blocks = [1, 2, 3].map(() => zeros([MEBI / 2], { dtype: 'uint8', device }));
    blocks[0]?.dispose();
    // Freed blocks stay reserved for their stream until another size is requested.
    using _other = zeros([100], { device });
    native().drainReleases(true);
    const manager = currentManager(device) as BestFitPoolMemoryManager;
    expect(manager.segments()).toMatchObject([{ kind: 'slab', bytes: 2 * MEBI }]);
    const total = manager.segments().flatMap(segment => segment.blocks);
    expect(total.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(2 * MEBI);
    const used = total.filter(({ state }) => state === 'used');
    expect(used.map(({ bytes }) => bytes).toSorted((a, b) => a - b)).toEqual([1024, MEBI / 2, MEBI / 2]);
    for (const block of blocks) block.dispose();
    _other.dispose();
    native().drainReleases(true);
    manager.freeAllBlocks();
    native().drainReleases(true);
    manager.freeAllBlocks();
    expect(
      memoryLog
        .read()
        .events.map(({ kind }) => kind)
        .filter(kind => kind.startsWith('segment'))
    ).toEqual(['segment', 'segment-free']);
  });

  test('a request larger than every hole is called fragmentation', () => {
    using _ = usingMemoryManager(class extends BestFitPoolMemoryManager {});
    (currentManager(device) as BestFitPoolMemoryManager).setLimit({ bytes: 2 * MEBI });
    memoryLog.start();
    const blocks = [1, 2, 3, 4].map(() => zeros([MEBI / 2], { dtype: 'uint8', device }));
    blocks[0]?.dispose();
    blocks[2]?.dispose();
    expect(() => zeros([MEBI], { dtype: 'uint8', device })).toThrow(/no room/);
    const failure = memoryLog.read().events.find(({ kind }) => kind === 'failure')?.subject;
    expect(failure).toMatchObject({ bytes: MEBI, pooled: MEBI, largest: MEBI / 2 });
    expect((failure as { reason: string }).reason).toMatch(/^Fragmentation: .* limit/);
    for (const block of blocks) block.dispose();
  });

  test('a limit that was reached is named, also if a retry helps', () => {
    using _ = usingMemoryManager(LimitingAdaptor.over(DefaultCUDAMemoryManager, { bytes: MEBI }));
    memoryLog.start();
    using _a = zeros([MEBI / 2], { dtype: 'uint8', device });
    expect(() => zeros([MEBI], { dtype: 'uint8', device })).toThrow(/limit/);
    const failure = memoryLog.read().events.at(-1);
    expect(failure?.kind).toBe('failure');
    expect((failure?.subject as { reason: string }).reason).toMatch(/^The manager's limit/);
  });

  test('pending frees are kept by the default manager, not free', () => {
    using _ = usingMemoryManager(class extends DefaultCUDAMemoryManager {});
    const manager = currentManager(device);
    using deferred = manager.deferCleanup();
    const a = zeros([1000], { device });
    const { pointer } = a;
    a.dispose();
    expect(deferred).toBeDefined();
    native().drainReleases(true);
    const states = manager.segments?.().flatMap(({ blocks }) => blocks) ?? [];
    expect(states).toEqual([{ pointer, bytes: 8000, state: 'kept', reusable: true }]);
  });
});

skipUnderPlugin('external memory is borrowed: it counts nowhere, and ends with its array', () => {
  const owner = zeros([256], { device });
  memoryLog.start();
  const { pointer } = owner;
  // Like another library's description of memory that this one did not allocate.
  const foreign = { shape: [64], typestr: '<f4', data: [pointer + 4096n, false], version: 3 } as const;
  const outside = fromCudaArrayInterface({ ...foreign }, { device, sync: false });
  const before = describeMemory(memoryLog, { outside });
  const borrowed = memoryLog.read().alive.find(({ kind }) => kind === 'borrowed');
  expect(borrowed).toMatchObject({ bytes: 256, manager: null });
  expect(before.devices[0]?.peak).toBe(describeMemory(memoryLog, {}).devices[0]?.used);
  outside.dispose();
  expect(kinds(memoryLog.read().events)).toEqual(['borrow', 'return']);
  // Importing our own array again borrows nothing.
  const own = fromCudaArrayInterface(owner.__cuda_array_interface__, { owner });
  expect(kinds(memoryLog.read().events)).toHaveLength(2);
  own.dispose();
  owner.dispose();
});

test('memory without an array is recorded, and a view of it frees nothing', () => {
  memoryLog.start();
  const memory = memalloc(4096, { device });
  memory.view(0, 100).release();
  expect(kinds(memoryLog.read().events)).toEqual(['allocate']);
  memory.free();
  expect(kinds(memoryLog.read().events)).toEqual(['allocate', 'free']);
});

test('memory that another library still holds is not free when its array is disposed', () => {
  memoryLog.start();
  const a = zeros([512], { device });
  const { pointer } = a;
  const capsule = a.__dlpack__();
  a.dispose();
  const held = memoryLog.read().alive.find(one => one.pointer === pointer);
  expect(held?.freed).toBeNull();
  const { rows } = describeMemory(memoryLog, {});
  const width = ALLOCATION_FIELDS.length;
  const at = ALLOCATION_FIELDS.indexOf('owner');
  const owners = Array.from(
    { length: rows.allocations.length / width },
    (_, row) => rows.texts[rows.allocations[row * width + at] ?? -1]
  );
  expect(owners).toContain('no variable: used by another library');
  native().dlpack.releaseCapsule(capsule);
});

test('a stack is stored once per place, distinguishes places, and leaves external stacks unchanged', () => {
  const before = [Error.prepareStackTrace, Error.stackTraceLimit];
  memoryLog.start();
  const inner = (): unknown => zeros([3], { device }).dispose();
  const unnamed = (0, eval)('(make => make())') as (make: () => unknown) => unknown;
  for (let round = 0; round < 2; round++) inner();
  unnamed(inner);
  const stacks = memoryLog
    .read()
    .events.filter(({ kind }) => kind === 'allocate')
    .map(event => subject(event).stack);
  expect(stacks[1]).toBe(stacks[0]);
  expect(stacks[0]?.[0]).toMatch(/^at inner /);
  expect(stacks[2]?.[0]).toBe(stacks[0]?.[0]);
  expect(stacks[2]?.[1]).toContain('eval');
  expect([Error.prepareStackTrace, Error.stackTraceLimit]).toEqual(before);
});

test('the ring drops the oldest and counts them; live memory stays known', () => {
  memoryLog.start({ capacity: 10, stacks: false });
  const first = zeros([77], { device });
  for (let round = 0; round < 20; round++) zeros([10], { device }).dispose();
  const { events, alive, dropped } = memoryLog.read();
  expect(events).toHaveLength(10);
  expect(dropped).toBe(31);
  expect(events[0]?.number).toBe(31);
  expect(alive.some(({ requested, stack }) => requested === 77 * 8 && stack.length === 0)).toBe(true);
  memoryLog.clear();
  expect(memoryLog.read()).toMatchObject({ events: [], dropped: 0 });
  expect(memoryLog.read().alive.some(({ requested }) => requested === 77 * 8)).toBe(true);
  first.dispose();
  expect(kinds(memoryLog.read().events)).toEqual(['free']);
});

test('an empty array is no allocation', () => {
  memoryLog.start();
  zeros([0, 3], { device }).dispose();
  expect(memoryLog.read().events).toEqual([]);
});

test.each([0, -1, 1.5, NaN])('capacity %p is refused', capacity => {
  expect(() => memoryLog.start({ capacity })).toThrow(/capacity/);
});

describe('while logging is off', () => {
  skipUnderPlugin("there is no listener, and the driver's calls are the same", () => {
    const calls = (): string[] => {
      native().recording.clear();
      zeros([64], { device: 'rec:0' }).dispose();
      return (
        native()
          .recording.log()
          // The progress of earlier work may be queried at any time.
          .filter(call => !call.includes('Query'))
          .map(call => call.replaceAll(/0x[0-9a-f]+/g, ''))
      );
    };
    calls();
    const off = calls();
    memoryLog.start();
    expect(calls()).toEqual(off);
    memoryLog.stop();
    expect(memoryObserver.current).toBeNull();
    expect(calls()).toEqual(off);
    const { events } = memoryLog.read();
    zeros([64], { device }).dispose();
    expect(memoryLog.read().events).toEqual(events);
  });
});

test('rule 88: a lost device has a reason in place of figures; its logged memory stays', () => {
  const lost = toDevice('rec:0');
  memoryLog.start();
  const stream = new Stream({ device: lost });
  const array = zeros(1000, { stream });
  native().recording.fail('*', 719, -1);
  try {
    const { devices: told } = describeMemory(memoryLog, { array });
    const shown = told.find(({ label }) => label === 'rec:0');
    expect(shown).toMatchObject({ used: 0, free: 0, problem: expect.stringContaining('lost') as string });
    expect(shown?.peak).toBeGreaterThanOrEqual(8000);
    expect(told.find(({ label }) => label === 'sim:0')).not.toHaveProperty('problem');
    const bundle = memoryLog[DISPLAY_METHOD]();
    for (const type of ['text/html', 'text/plain'])
      expect(bundle[type]).toContain('The driver does not respond: cuMemGetInfo failed');
    expect(bundle['text/plain']).toContain('array');
  } finally {
    native().recording.reset();
    array.dispose();
  }
});

describe('owners', () => {
  test('are variables, views, elements of lists; nothing for unreachable arrays', () => {
    memoryLog.start();
    const a = zeros([8, 8], { device });
    const list = [zeros([3], { device }), arange(5, { device })];
    const gone = zeros([9], { device });
    gone.dispose();
    describeMemory(memoryLog, {
      a,
      b: a.slice('::2'),
      again: a,
      list,
      held: { inner: list[1] },
      gone,
      other: 5
    });
    const owners = memoryLog.read().alive.map(one => (one as unknown as { owner: string | null }).owner);
    expect(owners).toEqual(expect.arrayContaining(['a, again (view b)', 'list[0]', 'list[1], held.inner']));
    for (const one of [a, ...list]) one.dispose();
  });

  test('no code of the variables runs', () => {
    memoryLog.start();
    using _a = zeros([3], { device });
    const trap = {
      get field(): never {
        throw new Error('looked at');
      }
    };
    expect(() => describeMemory(memoryLog, { trap, nothing: null, list: [undefined] })).not.toThrow();
  });
});

describe('as text', () => {
  test('CSV has a row for each allocation, free and failure, in the format of RMM', () => {
    memoryLog.start();
    zeros([1000], { device }).dispose();
    expect(() => zeros([2 ** 40], { device })).toThrow();
    const [header, ...rows] = memoryLog.toCsv(device).trimEnd().split('\n');
    expect(header).toBe('Thread,Time,Action,Pointer,Size,Stream');
    const cells = rows.map(row => row.split(','));
    expect(cells.map(row => row[2])).toEqual(['allocate', 'free', 'allocate failure']);
    expect(cells.map(row => row[4])).toEqual(['8000', '8000', String(2 ** 43)]);
    expect(cells[0]?.[3]).toBe(cells[1]?.[3]);
    expect(cells[0]?.[1]).toMatch(/^\d\d:\d\d:\d\d:\d{6}$/);
  });

  test('JSON has every event, and the static picture stays small', () => {
    memoryLog.start();
    const many = Array.from({ length: 600 }, (_, index) => zeros([index + 1], { device }));
    const json = JSON.parse(JSON.stringify(memoryLog)) as { events: { kind: string; array: string }[] };
    expect(json.events[0]).toMatchObject({ kind: 'allocate', array: 'float64 (1,)' });
    const bundle = memoryLog[DISPLAY_METHOD]();
    const html = bundle['text/html'] as string;
    expect(html.length).toBeLessThan(10_000);
    expect(html).not.toMatch(/<(script|style|svg)/);
    expect(bundle['text/plain']).toMatch(/^memory: \d{3} allocations alive, 600 events/);
    const picture = bundle['application/vnd.stridelab.picture+json'] as { view: string; picture: object };
    expect(picture.view).toBe('MemoryView');
    expect(JSON.stringify(picture).length).toBeLessThan(64 * 1024);
    expect(picture.picture).toMatchObject({ complete: false });
    for (const one of many) one.dispose();
  });

  test('HTML stays below 10 KB in bytes with several devices and names of three-byte characters', () => {
    memoryLog.start();
    const variables = Object.fromEntries(
      Array.from({ length: 12 }, (_, at) => [
        '測'.repeat(79) + String.fromCharCode(97 + at),
        zeros(2 ** 17, { device })
      ])
    );
    const picture = describeMemory(memoryLog, variables);
    const devices = Array.from({ length: 4 }, () => picture.devices[0]!);
    const step = ALLOCATION_FIELDS.length;
    const place = ALLOCATION_FIELDS.indexOf('device');
    const allocations = devices.flatMap((_, index) =>
      picture.rows.allocations.map((number, at) => (at % step === place ? index : number))
    );
    const html = renderMemoryHtml({ ...picture, devices, rows: { ...picture.rows, allocations } });
    expect(html).toContain('測');
    expect(Buffer.byteLength(html)).toBeLessThan(10_000);
  });
});
