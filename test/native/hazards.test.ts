/** Hazard detection: which pairs of accesses are reported, and which are not. */

import { printedBy } from '../setup/repository.ts';
import { addonPath, native } from './support.ts';

interface Found {
  readonly kind: string;
  readonly bytes: number;
  readonly operations: readonly [string, string];
  readonly captured: readonly [boolean, boolean];
  readonly streams: boolean;
  readonly sequences: readonly [number, number];
  readonly stacks: readonly [string, string];
}

const scenarios = JSON.stringify(new URL('hazard-scenarios.ts', import.meta.url).href);

type Pair = readonly [kind: string, bytes: number, first: string, second: string];
const WRITE_THEN_READ: Pair = ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'];
const TWO_WRITES: Pair = ['write after write', 64, 'cuMemsetD8Async', 'cuMemsetD8Async'];

/** The finding of each scenario: kind, bytes, the first operation and the second one. */
const RACES: Readonly<Record<string, Pair>> = {
  'read after write': WRITE_THEN_READ,
  'write after read': ['write after read', 64, 'cuMemcpyDtoDAsync', 'cuMemsetD8Async'],
  'write after write': TWO_WRITES,
  'a wait for an earlier event': WRITE_THEN_READ,
  'a wait for an event that was never recorded': WRITE_THEN_READ,
  'a wait in the wrong direction': WRITE_THEN_READ,
  'a host wait for another stream': WRITE_THEN_READ,
  'a destroyed writer': WRITE_THEN_READ,
  'two blocking streams': TWO_WRITES,
  'a stream that does not wait for the legacy one': TWO_WRITES,
  'ranges that share one byte': ['write after write', 1, 'cuMemsetD8Async', 'cuMemsetD8Async'],
  'one read over many writes': ['read after write', 8, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'recorded external work that did not wait': [
    'write after write',
    64,
    'cuMemsetD8Async',
    'work told of by recordWrite'
  ],
  'an import without a wait': WRITE_THEN_READ,
  'external memory whose producer was never waited for': [
    'read after write',
    64,
    'work of the producer',
    'cuMemcpyDtoHAsync'
  ],
  'a free in the order of another stream': ['write after write', 64, 'cuMemsetD8Async', 'cuMemFreeAsync'],
  'a use before the allocation in stream order': [
    'write after write',
    64,
    'cuMemAllocAsync',
    'cuMemsetD8Async'
  ],
  'branches of a capture without order': TWO_WRITES,
  'a launch of a graph without order': ['write after write', 64, 'cuMemsetD8Async', 'cuGraphLaunch'],
  'a capture orders nothing outside it': WRITE_THEN_READ,
  'a read by a worker thread without a wait': WRITE_THEN_READ,
  'the same two places repeatedly': WRITE_THEN_READ,
  'an array operation that does not wait for another': ['read after write', 64, 'random', 'cumulate'],
  'a staged copy that does not wait': [
    'write after write',
    2 ** 23 - 64,
    'cuMemsetD8Async',
    'cuMemcpyHtoDAsync'
  ],
  'a copy from another device that does not wait': [
    'read after write',
    64,
    'cuMemsetD8Async',
    'cuMemcpyPeerAsync'
  ],
  'a host wait for another device': WRITE_THEN_READ,
  'the legacy stream of another device': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyPeerAsync']
};

/** Scenarios of one kind of device only. */
const OWN_RACES: Readonly<Record<string, typeof RACES>> = {
  simulated: { 'ranks that do not wait': ['read after write', 64, 'cuMemsetD8Async', 'allReduce'] },
  recording: {
    'kernels that do not wait': ['write after write', 64, 'touch', 'touch'],
    'kernels of one grid that do not wait': ['write after write', 64, 'touch', 'touch'],
    'an external stream that read no descriptor': [
      'read after write',
      64,
      'cuMemsetD8Async',
      'work told of by recordUse'
    ]
  }
};
const OWN_ORDERED: Record<string, readonly string[]> = {
  simulated: ['ranks that wait'],
  recording: ['an external stream that read a descriptor']
};

const ORDERED = [
  'array operations that the library orders',
  'a staged copy to the host, which is complete when it returns',
  'a copy from another device that waits',
  'read after read',
  'a wait for the stream',
  'a wait for an event',
  'a wait through a third stream',
  'a host wait for the stream',
  'a host wait for an event',
  'a host wait for the device',
  'a query that returns done',
  'a new stream after a host wait for a destroyed one',
  'blocking streams around the legacy stream',
  'adjacent ranges',
  'work that the library orders',
  'recorded external work that waited',
  'an import that waits for its producer',
  'memory that was freed and allocated again',
  'branches of a capture in order',
  'captured work that is not launched',
  'a read by a worker thread',
  'ordered work on many ranges'
];

describe.each(['simulated', 'recording'] as const)('on the %s device', kind => {
  let found: Record<string, readonly Found[]> = {};
  beforeAll(async () => {
    const program = `process.argv[2] = '${kind}'; await import(${scenarios});`;
    found = (await printedBy(program, {
      STRIDELAB_HAZARDS: '1',
      STRIDELAB_SIM_DEVICES: '2'
    })) as typeof found;
  }, 60_000);

  const races = { ...RACES, ...OWN_RACES[kind] };
  const ordered = [...ORDERED, ...(OWN_ORDERED[kind] ?? [])];

  test.each(Object.entries(races))('found: %s', (name, [kindOfPair, bytes, first, second]) => {
    expect(found[name]).toMatchObject([
      { kind: kindOfPair, bytes, operations: [first, second], streams: true }
    ]);
    expect(found[name]?.[0]?.stacks[1]).toBe(name);
  });

  test.each(ordered)('not found: %s', name => expect(found[name]).toEqual([]));

  test('every scenario has an expectation', () => {
    expect(Object.keys(found).sort()).toEqual([...Object.keys(races), ...ordered].sort());
  });

  test('operations have their numbers, and captured ones are marked', () => {
    expect(found['a wait for an earlier event']?.[0]?.sequences).toEqual([2, 2]);
    expect(found['branches of a capture without order']?.[0]?.captured).toEqual([true, true]);
    expect(found['a launch of a graph without order']?.[0]?.captured).toEqual([false, false]);
  });

  test('both places in the program are reported', () => {
    expect(found['write after read']?.[0]?.stacks).toEqual(['write after read', 'write after read']);
  });
});

const PRELUDE = `
  import { createRequire } from 'node:module';
  const native = createRequire('/')(${JSON.stringify(addonPath)});
  const [device] = native.devices('simulated');
  const stream = () => native.createStream(device, { blocking: false, priority: 0 });
  const a = native.allocate(device, 4, 'device');
  const b = native.adopt(device, a.pointer, 4, 'device', null);
  const value = () => { const host = new Uint8Array(4); device.synchronize(); a.readToHost(0, host, stream()); return host[0]; };`;

function inside(body: string, mode: string): Promise<unknown> {
  return printedBy(PRELUDE + body, { STRIDELAB_HAZARDS: mode });
}

test('nothing is found unless the variable is set', async () => {
  const body = `
    a.fill(0, 1, 1, 4, stream());
    b.fill(0, 1, 2, 4, stream());
    console.log(JSON.stringify(native.hazards.take()));`;
  expect(await inside(body, '')).toEqual([]);
  expect(await inside(body, '0')).toEqual([]);
});

test('an error of the listener is thrown by the call that completed the pair, whose work was submitted', async () => {
  const body = `
    native.hazards.listen(() => 'here', () => { throw new Error('thrown'); });
    a.fill(0, 1, 1, 4, stream());
    let message = '';
    try { b.fill(0, 1, 2, 4, stream()); } catch (error) { message = error.message; }
    console.log(JSON.stringify([message, value()]));`;
  expect(await inside(body, 'throw')).toEqual(['thrown', 2]);
});

test('an error of the stack function removes only the stack from the report', async () => {
  const body = `
    const seen = [];
    native.hazards.listen(() => { throw new Error('no stack'); }, reports => seen.push(...reports));
    a.fill(0, 1, 1, 4, stream());
    b.fill(0, 1, 2, 4, stream());
    console.log(JSON.stringify(seen.map(({ first, second }) => [first.stack, second.stack])));`;
  expect(await inside(body, '1')).toEqual([['', '']]);
});

test('reports without a listener wait to be taken, and can be cleared', async () => {
  const body = `
    const race = () => { a.fill(0, 1, 1, 4, stream()); b.fill(0, 1, 2, 4, stream()); };
    race();
    const first = native.hazards.take().length;
    const again = native.hazards.take().length;
    race();
    native.hazards.clear();
    console.log(JSON.stringify([first, again, native.hazards.take().length]));`;
  expect(await inside(body, '1')).toEqual([1, 0, 0]);
});

test('an unknown mode is refused when the driver is opened', async () => {
  await expect(inside('', 'maybe')).rejects.toThrow(
    "STRIDELAB_HAZARDS must be 1, warn, throw or 0, not 'maybe'"
  );
});

test('listen accepts functions only', () => {
  expect(() => native.hazards.listen(1 as never, () => {})).toThrow('stack must be a function');
  expect(native.hazards.take()).toEqual([]);
});
