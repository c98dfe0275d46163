/** Launches: their shape, their order among other work, graphs, and modules. */

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

import {
  ArgumentError,
  cuda,
  DeviceError,
  DeviceLostError,
  DriverError,
  DTypeError,
  FreedError,
  ReadOnlyError,
  Stream,
  zeros,
  type LaunchOptions,
  type NDArray
} from '../../../src/index.ts';
import { kernel, logged, ONE, passed, rec, recording } from './support.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

const ADD = 'const float* x, const float* y, float* out, int n';

function add(): ReturnType<typeof kernel> {
  return kernel([8, 8, 8, 4], ADD);
}

function floats(stream?: Stream): NDArray<'float32'> {
  return zeros(64, { ...(stream === undefined ? rec : { stream }), dtype: 'float32' });
}

/** The ordering and launching driver calls of `action`, each with its stream's name. */
function callsOf(streams: Readonly<Record<string, Stream>>, action: () => void): string[] {
  recording.clear();
  action();
  const nameOf = (handle: string): string =>
    Object.entries(streams).find(([, { handle: known }]) => known === BigInt(handle))?.[0] ?? handle;
  return recording.log().flatMap(call => {
    const kind =
      /^cu(EventRecord|StreamWaitEvent|LaunchKernel|LaunchCooperativeKernel|MemsetD\d+Async|GraphLaunch)\(/.exec(
        call
      )?.[1];
    return kind === undefined ? [] : [`${kind} ${nameOf(/stream (\w+)/.exec(call)?.[1] ?? '0')}`];
  });
}

beforeEach(() => recording.reset());
afterAll(() => recording.reset());

describe('the shape of a launch', () => {
  const empty = kernel([]);
  const shapeOf = (options: LaunchOptions): string | undefined => {
    recording.clear();
    empty.launch(options);
    return /^cuLaunch\w+\(kernel, (.*), stream/.exec(
      recording.log().find(call => call.startsWith('cuLaunch')) ?? ''
    )?.[1];
  };

  test.each([
    [{ grid: 3, block: 64 }, '3, 1, 1, 64, 1, 1, 0'],
    [{ grid: [3], block: [64] }, '3, 1, 1, 64, 1, 1, 0'],
    [{ grid: [3, 2], block: [8, 4] }, '3, 2, 1, 8, 4, 1, 0'],
    [{ grid: [3, 2, 5], block: [8, 4, 2], sharedBytes: 512 }, '3, 2, 5, 8, 4, 2, 512']
  ] as const)('%j', (options, expected) => {
    expect(shapeOf(options)).toBe(expected);
    expect(shapeOf(ONE)).toBe('1, 1, 1, 32, 1, 1, 0'); // the options do not persist
  });

  test.each([
    [{ grid: 0, block: 1 }, 'grid: expected a whole number from 1, not 0'],
    [{ grid: 1, block: -1 }, 'block: expected a whole number from 1, not -1'],
    [{ grid: 1.5, block: 1 }, 'grid: expected a whole number from 1, not 1.5'],
    [{ grid: 2 ** 32, block: 1 }, 'grid: expected'],
    [{ grid: NaN, block: 1 }, 'grid: expected'],
    [{ grid: '4', block: 1 }, 'grid: expected a whole number from 1, not "4"'],
    [{ grid: 4n, block: 1 }, 'grid: expected a whole number from 1, not 4n'],
    [{ block: 1 }, 'grid: expected a whole number from 1, not undefined'],
    [{ grid: 1 }, 'block: expected a whole number from 1, not undefined'],
    [{ grid: null, block: 1 }, 'grid: expected a whole number from 1, not null'],
    [{ grid: [1, 0], block: 1 }, 'grid along y: expected a whole number from 1, not 0'],
    [{ grid: 1, block: [1, 1, 0.5] }, 'block along z: expected'],
    [{ grid: [], block: 1 }, 'grid: expected 1 to 3 lengths, not 0'],
    [{ grid: [1, 1, 1, 1], block: 1 }, 'lengths, not 4'],
    [{ grid: 1, block: 1, sharedBytes: -1 }, 'sharedBytes: expected a whole number from 0, not -1'],
    [{ grid: 1, block: 1, sharedBytes: 0.5 }, 'sharedBytes: expected'],
    [{ grid: 1, block: 1, stream: 7 }, 'k.launch: stream is 7'],
    [undefined, 'k.launch: expected {grid, block} first, not undefined'],
    [null, 'not null']
  ])('%j is refused', (options, message) => {
    recording.clear();
    const launch = (): void => empty.launch(options as unknown as LaunchOptions);
    expect(launch).toThrow(ArgumentError);
    expect(launch).toThrow(message);
    expect(recording.log().filter(call => call.startsWith('cuLaunch'))).toEqual([]);
  });

  test('that the device cannot run is an error with the requested and the possible values', () => {
    const launch = (): void => empty.launch({ grid: 1, block: [2048] });
    expect(launch).toThrow(DriverError);
    expect(launch).toThrow(
      /cuLaunchKernel failed with CUDA_ERROR_INVALID_VALUE.*kernel k, 1 x 1 x 1 blocks of 2048 x 1 x 1 threads, 0 bytes of dynamic.*at most 1024 threads/
    );
    expect(shapeOf(ONE)).toBeDefined();
  });

  test('requests more shared memory than the default once, and never lowers it', () => {
    const k = kernel([]);
    const asked = (sharedBytes: number): string[] => {
      recording.clear();
      k.launch({ ...ONE, sharedBytes });
      return recording.log().filter(call => call.startsWith('cuFuncSetAttribute'));
    };
    expect(asked(48 * 1024)).toEqual([]);
    expect(asked(100_000)).toEqual(['cuFuncSetAttribute(kernel, 8, 100000)']);
    expect(asked(100_000)).toEqual([]);
    expect(asked(60_000)).toEqual([]);
    expect(() => asked(300_000)).toThrow(
      /cuFuncSetAttribute failed.*300000 bytes of dynamic shared memory, more than this device/
    );
    expect(asked(100_000)).toEqual([]);
  });

  test('can be cooperative', () => {
    expect(callsOf({}, () => empty.launch({ ...ONE, cooperative: true }))).toEqual([
      'LaunchCooperativeKernel 1'
    ]);
    expect(callsOf({}, () => empty.launch(ONE))).toEqual(['LaunchKernel 1']);
  });
});

describe('order', () => {
  test('a launch waits for the writer of what it reads, and the next writer for the launch', () => {
    using a = new Stream(rec);
    using b = new Stream(rec);
    const [x, y, out] = [floats(a), floats(a), floats(a)] as const;
    a.synchronize();
    const calls = callsOf({ a, b }, () => {
      x.fill(1, { stream: a });
      add().launch({ ...ONE, stream: b }, x, y, out, 64);
      x.fill(2, { stream: a });
    });
    expect(calls).toEqual([
      'MemsetD32Async a',
      'EventRecord a',
      'StreamWaitEvent b',
      'LaunchKernel b',
      'EventRecord b',
      'StreamWaitEvent a',
      'MemsetD32Async a'
    ]);
  });

  test('readers do not wait for each other', () => {
    using a = new Stream(rec);
    using b = new Stream(rec);
    const [x, p, q] = [floats(a), floats(a), floats(b)] as const;
    a.synchronize();
    b.synchronize();
    const k = add();
    const calls = callsOf({ a, b }, () => {
      k.launch({ ...ONE, stream: a }, x, x, p, 64);
      k.launch({ ...ONE, stream: b }, x, x, q, 64);
    });
    expect(calls).toEqual(['LaunchKernel a', 'LaunchKernel b']);
  });

  test('a writer waits for every reader, and one stream needs no events', () => {
    using a = new Stream(rec);
    using b = new Stream(rec);
    const [x, p, q] = [floats(a), floats(a), floats(b)] as const;
    a.synchronize();
    b.synchronize();
    const k = add();
    expect(
      callsOf({ a, b }, () => {
        k.launch({ ...ONE, stream: a }, x, x, p, 64);
        k.launch({ ...ONE, stream: a }, p, x, p, 64);
      })
    ).toEqual(['LaunchKernel a', 'LaunchKernel a']);
    k.launch({ ...ONE, stream: b }, x, x, q, 64);
    expect(callsOf({ a, b }, () => k.launch({ ...ONE, stream: a }, p, p, x, 64))).toEqual([
      'EventRecord b',
      'StreamWaitEvent a',
      'LaunchKernel a'
    ]);
  });

  test('a parameter that is not const counts as written, and an array in two places as both', () => {
    using a = new Stream(rec);
    using x = floats(a);
    add().launch({ ...ONE, stream: a }, x, x, x, 64);
    expect(new Set(x.storage.uses().map(({ access }) => access))).toContain('write');
    using y = floats(a);
    kernel([8], 'const float* x').launch({ ...ONE, stream: a }, y);
    expect(y.storage.recentUses().at(-1)).toMatchObject({ access: 'read', stream: a });
    kernel([8]).launch({ ...ONE, stream: a }, y);
    expect(y.storage.recentUses().at(-1)).toMatchObject({ access: 'write', stream: a });
  });

  test("a launch uses the first array's stream by default", () => {
    using a = new Stream(rec);
    const [x, out] = [floats(a), floats(a)] as const;
    expect(callsOf({ a }, () => add().launch(ONE, null, x, out, 64))).toEqual(['LaunchKernel a']);
    expect(callsOf({ a }, () => add().launch(ONE, null, null, null, 0))).toEqual(['LaunchKernel 1']);
    const gone = new Stream(rec);
    gone.dispose();
    expect(() => add().launch({ ...ONE, stream: gone }, x, x, out, 64)).toThrow(FreedError);
  });

  test('a launch that the driver refuses does not count as a use of its arrays', () => {
    using a = new Stream(rec);
    using x = floats(a);
    a.synchronize();
    const before = x.storage.uses().map(({ sequence }) => sequence);
    recording.fail('cuLaunchKernel', 701, 1);
    expect(() => add().launch({ ...ONE, stream: a }, x, x, x, 64)).toThrow(
      /CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES|701/
    );
    expect(x.storage.uses().map(({ sequence }) => sequence)).toEqual(before);
    add().launch({ ...ONE, stream: a }, x, x, x, 64);
  });

  test('launches of a kernel are independent: of refused ones, and of other arrays', () => {
    using a = new Stream(rec);
    const [x, y, out] = [floats(a), floats(a), floats(a)] as const;
    using halves = zeros(64, { stream: a, dtype: 'float16' });
    const k = add();
    const launch = (...operands: NDArray[]): void =>
      k.launch({ ...ONE, stream: a }, operands[0]!, operands[1]!, operands[2]!, 64);
    const addresses = (...operands: NDArray[]): string =>
      [...operands.map(({ pointer }) => logged(pointer)), '64'].join(', ');
    for (let round = 0; round < 3; round++) {
      expect(passed(() => launch(x, y, out))).toEqual([addresses(x, y, out)]);
      expect(passed(() => launch(y, x.slice('1:'), out))).toEqual([addresses(y, x.slice('1:'), out)]);
      expect(() => launch(x, halves, out)).toThrow(DTypeError);
      expect(() => launch(x, y.slice('::2'), out)).toThrow(ArgumentError);
      expect(() => launch(x, y, out.asReadOnly())).toThrow(ReadOnlyError);
    }
    y.dispose();
    expect(() => launch(x, y, out)).toThrow(FreedError);
    const before = out.storage.uses();
    expect(passed(() => launch(x, x, out))).toEqual([addresses(x, x, out)]);
    expect(out.storage.uses()).not.toEqual(before);
    expect(x.storage.recentUses()).toMatchObject([{ access: 'read', stream: a }]);
    expect(out.storage.recentUses()).toMatchObject([{ access: 'write', stream: a }]);
  });

  test('memory is freed only after the launch: an array can be disposed immediately', () => {
    using a = new Stream(rec);
    const x = floats(a);
    kernel([8], 'float* x').launch({ ...ONE, stream: a }, x);
    x.dispose();
    expect(() => kernel([8], 'float* x').launch({ ...ONE, stream: a }, x)).toThrow(FreedError);
    a.synchronize();
  });
});

describe('graphs', () => {
  test('a captured launch runs at each launch of the graph, as a use of its arrays', () => {
    using a = new Stream(rec);
    using b = new Stream(rec);
    const [x, out] = [floats(a), floats(a)] as const;
    a.synchronize();
    const k = add();
    using graph = a.capture(() => {
      expect(callsOf({ a }, () => k.launch({ ...ONE, stream: a }, x, x, out, 64))).toEqual([
        'LaunchKernel a'
      ]);
    });
    expect(callsOf({ a, b }, () => graph.launch(a))).toEqual(['GraphLaunch a']);
    expect(callsOf({ a, b }, () => out.fill(0, { stream: b }))).toEqual([
      'EventRecord a',
      'StreamWaitEvent b',
      'MemsetD32Async b'
    ]);
    expect(callsOf({ a, b }, () => graph.launch(a))).toEqual([
      'EventRecord b',
      'StreamWaitEvent a',
      'GraphLaunch a'
    ]);
  });

  test('the values of the capture are used', () => {
    using a = new Stream(rec);
    using x = floats(a);
    a.synchronize();
    const k = kernel([8, 4], 'float* x, int n');
    const launches = passed(() => {
      using graph = a.capture(() => k.launch({ ...ONE, stream: a }, x, 5));
      k.launch({ ...ONE, stream: a }, x, 6);
      graph.launch(a);
    });
    expect(launches.map(values => values.split(', ')[1])).toEqual(['5', '6']);
  });
});

describe('modules', () => {
  test('list their kernels if a name is wrong', () => {
    const module = cuda.load(Buffer.from('one 4\ntwo 8'), {
      ...rec,
      signatures: '__global__ void one(int n); __global__ void three();'
    });
    expect(module.function('one').parameters).toHaveLength(1);
    expect(module.function('two').parameters).toBeUndefined();
    expect(module.function('one')).toBe(module.function('one'));
    expect(() => module.function('four')).toThrow(/no kernel named 'four'; the source has: one, three/);
    expect(() => module.function('three')).toThrow(
      /no kernel named 'three': the source declares it with a C\+\+ name/
    );
    expect(() => module.global('nothing', 1, 'int32')).toThrow(ArgumentError);
  });

  test('are read from files', () => {
    const folder = temporaryFolder();
    const path = join(folder, 'kernels.cubin');
    writeFileSync(path, 'k 4');
    cuda.load(path, rec).function('k').launch(ONE, cuda.int32(1));
    expect(() => cuda.load(join(folder, 'absent.cubin'), rec)).toThrow(
      /absent\.cubin cannot be read.*ENOENT/
    );
  });

  test('that the driver refuses throw its log', () => {
    expect(() => cuda.load(new Uint8Array([1, 2, 3]), rec)).toThrow(DriverError);
    expect(() => cuda.load(Buffer.from('a b c'), rec)).toThrow(
      /CUDA_ERROR_INVALID_IMAGE.*the image is not a list of kernels/
    );
    expect(() => cuda.load(new Uint8Array(0), rec)).toThrow(DriverError);
    // PTX text is not a path.
    expect(() => cuda.load('// comment\n.version 8.0\n.target sm_90', rec)).toThrow(
      /CUDA_ERROR_INVALID_IMAGE/
    );
    expect(() => cuda.load(7 as never, rec)).toThrow(ArgumentError);
    expect(() => cuda.load(undefined as never, rec)).toThrow(ArgumentError);
  });

  test('need a GPU', () => {
    for (const action of [
      () => cuda.load(Buffer.from('k 4'), { device: 'sim' }),
      () => cuda.compile('', { device: 'sim' })
    ]) {
      expect(action).toThrow(DeviceError);
      expect(action).toThrow(/sim:0 \(simulated\) cannot run CUDA kernels, which need a GPU/);
    }
  });

  test('refuse everything once unloaded, and a second unload does nothing', () => {
    const module = cuda.load(Buffer.from('k 4'), rec);
    const k = module.function('k');
    k.launch(ONE, cuda.int32(1));
    recording.clear();
    module.unload();
    module.unload();
    expect(recording.log().filter(call => call.startsWith('cuModuleUnload'))).toHaveLength(1);
    for (const action of [
      () => k.launch(ONE, cuda.int32(1)),
      () => k.attributes(),
      () => k.occupancy(32),
      () => k.suggestBlock(),
      () => module.global('g', 1, 'int32')
    ])
      expect(action).toThrow(FreedError);
    expect(() => cuda.load(Buffer.from('k 4'), rec)[Symbol.dispose]()).not.toThrow();
  });

  test('of a lost device are unloaded silently', () => {
    const module = cuda.load(Buffer.from('k 4'), rec);
    const k = module.function('k');
    recording.fail('*', 700, -1);
    expect(() => k.launch(ONE, cuda.int32(1))).toThrow(DeviceLostError);
    expect(() => module.unload()).not.toThrow();
    recording.reset();
    expect(() => k.attributes()).toThrow(FreedError);
  });
});

describe('occupancy', () => {
  const k = kernel([]);

  test("is the driver's", () => {
    expect(k.occupancy(256)).toEqual({ blocksPerMultiprocessor: 8, activeThreads: 2048 });
    expect(k.suggestBlock()).toEqual({ block: 1024, leastGrid: 2 });
    expect(k.suggestBlock({ limit: 128, sharedBytes: 1024 }).block).toBe(128);
    expect(k.attributes().maxThreadsPerBlock).toBe(1024);
  });

  test('refuses an invalid block', () => {
    for (const block of [0, -1, 1.5, NaN, '1' as never])
      expect(() => k.occupancy(block)).toThrow(ArgumentError);
    expect(() => k.occupancy(32, -1)).toThrow();
    expect(() => k.suggestBlock({ limit: -1 })).toThrow(ArgumentError);
  });

  test('includes the shared memory that a launch would request', () => {
    recording.clear();
    k.occupancy(32, 64 * 1024);
    expect(recording.log()).toContain('cuFuncSetAttribute(kernel, 8, 65536)');
    expect(() => k.occupancy(32, 300_000)).toThrow(DriverError);
  });
});
