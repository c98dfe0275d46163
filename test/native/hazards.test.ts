/** Hazard detection: which pairs of accesses are reported, and which are not. */

import { fileURLToPath } from 'node:url';

import { run } from '../setup/repository.ts';
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

const scenarios = fileURLToPath(new URL('hazard-scenarios.ts', import.meta.url));

/** Runs a program and returns the JSON that it prints. */
async function printed<T>(args: readonly string[], environment: NodeJS.ProcessEnv): Promise<T> {
  const { status, output, stdout } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...args],
    environment
  );
  if (status !== 0) throw new Error(output);
  return JSON.parse(stdout) as T;
}

/** The findings of each scenario: kind, bytes, the first operation and the second one. */
const RACES: Record<string, readonly [kind: string, bytes: number, first: string, second: string]> = {
  'read after write': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'write after read': ['write after read', 64, 'cuMemcpyDtoDAsync', 'cuMemsetD8Async'],
  'write after write': ['write after write', 64, 'cuMemsetD8Async', 'cuMemsetD8Async'],
  'a wait for an event from before': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'a wait for an event that was never recorded': [
    'read after write',
    64,
    'cuMemsetD8Async',
    'cuMemcpyDtoHAsync'
  ],
  'a wait the other way round': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'a host wait for another stream': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'a destroyed writer': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'two blocking streams': ['write after write', 64, 'cuMemsetD8Async', 'cuMemsetD8Async'],
  'a stream that does not wait for the legacy one': [
    'write after write',
    64,
    'cuMemsetD8Async',
    'cuMemsetD8Async'
  ],
  'ranges of one byte in common': ['write after write', 1, 'cuMemsetD8Async', 'cuMemsetD8Async'],
  'one read over many writes': ['read after write', 8, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'foreign work that was told of, and did not wait': [
    'write after write',
    64,
    'cuMemsetD8Async',
    'work told of by recordWrite'
  ],
  'an import without a wait': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'memory of others whose producer was never waited for': [
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
  'branches of a capture without order': ['write after write', 64, 'cuMemsetD8Async', 'cuMemsetD8Async'],
  'a launch of a graph without order': ['write after write', 64, 'cuMemsetD8Async', 'cuGraphLaunch'],
  'a capture orders nothing outside it': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'a read by a worker thread of what nobody waited for': [
    'read after write',
    64,
    'cuMemsetD8Async',
    'cuMemcpyDtoHAsync'
  ],
  'the same two places again and again': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
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
  'a host wait for another device': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyDtoHAsync'],
  'the legacy stream of another device': ['read after write', 64, 'cuMemsetD8Async', 'cuMemcpyPeerAsync']
};

/** Scenarios of one kind of device only. */
const OWN_RACES: Record<string, typeof RACES> = {
  simulated: { 'ranks that do not wait': ['read after write', 64, 'cuMemsetD8Async', 'allReduce'] },
  recording: {
    'kernels that do not wait': ['write after write', 64, 'touch', 'touch'],
    'kernels of one grid that do not wait': ['write after write', 64, 'touch', 'touch'],
    'a stream of somebody else that read none': [
      'read after write',
      64,
      'cuMemsetD8Async',
      'work told of by recordUse'
    ]
  }
};
const OWN_ORDERED: Record<string, readonly string[]> = {
  simulated: ['ranks that wait'],
  recording: ['a stream of somebody else that read a descriptor']
};

const ORDERED = [
  'array operations that the library orders',
  'a staged copy to the host, which is over when it returns',
  'a copy from another device that waits',
  'read after read',
  'a wait for the stream',
  'a wait for an event',
  'a wait through a third stream',
  'a host wait for the stream',
  'a host wait for an event',
  'a host wait for the device',
  'a query that says done',
  'a new stream after the host waited for a destroyed one',
  'blocking streams around the legacy stream',
  'ranges side by side',
  'what the library orders itself',
  'foreign work that was told of, and waited',
  'an import that waits for its producer',
  'memory that was freed and allocated again',
  'branches of a capture in order',
  'captured work does not race while it is only kept',
  'a read by a worker thread',
  'ordered work on many ranges'
];

describe.each(['simulated', 'recording'] as const)('on the %s device', kind => {
  let found: Record<string, readonly Found[]> = {};
  beforeAll(async () => {
    found = await printed([scenarios, kind], { STRIDELAB_HAZARDS: '1', STRIDELAB_SIM_DEVICES: '2' });
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

  test('every scenario is looked at', () => {
    expect(Object.keys(found).sort()).toEqual([...Object.keys(races), ...ordered].sort());
  });

  test('operations are told by their numbers, captured ones as such', () => {
    expect(found['a wait for an event from before']?.[0]?.sequences).toEqual([2, 2]);
    expect(found['branches of a capture without order']?.[0]?.captured).toEqual([true, true]);
    expect(found['a launch of a graph without order']?.[0]?.captured).toEqual([false, false]);
  });

  test('both places in the program are told', () => {
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

async function inside(body: string, mode: string): Promise<unknown> {
  return printed(['--input-type=module', '--eval', PRELUDE + body], { STRIDELAB_HAZARDS: mode });
}

test('without the variable nothing is found', async () => {
  const body = `
    a.fill(0, 1, 1, 4, stream());
    b.fill(0, 1, 2, 4, stream());
    console.log(JSON.stringify(native.hazards.take()));`;
  expect(await inside(body, '')).toEqual([]);
  expect(await inside(body, '0')).toEqual([]);
});

test('what the listener throws is thrown by the call that completed the pair, whose work was submitted', async () => {
  const body = `
    native.hazards.listen(() => 'here', () => { throw new Error('thrown'); });
    a.fill(0, 1, 1, 4, stream());
    let message = '';
    try { b.fill(0, 1, 2, 4, stream()); } catch (error) { message = error.message; }
    console.log(JSON.stringify([message, value()]));`;
  expect(await inside(body, 'throw')).toEqual(['thrown', 2]);
});

test('a stack that cannot be told costs the report its stack only', async () => {
  const body = `
    const seen = [];
    native.hazards.listen(() => { throw new Error('no stack'); }, reports => seen.push(...reports));
    a.fill(0, 1, 1, 4, stream());
    b.fill(0, 1, 2, 4, stream());
    console.log(JSON.stringify(seen.map(({ first, second }) => [first.stack, second.stack])));`;
  expect(await inside(body, '1')).toEqual([['', '']]);
});

test('reports that nobody listens to wait to be taken, and can be forgotten', async () => {
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

test('a mode that does not exist is refused where the driver is opened', async () => {
  await expect(inside('', 'maybe')).rejects.toThrow(
    "STRIDELAB_HAZARDS must be 1, warn, throw or 0, not 'maybe'"
  );
});

test('listen takes functions', () => {
  expect(() => native.hazards.listen(1 as never, () => {})).toThrow('stack must be a function');
  expect(native.hazards.take()).toEqual([]);
});
