/** Launches are ordered with other work, run in graphs, appear in traces, and their faults are thrown at the next wait, once. */

import type { Stream } from '../../../../src/index.ts';
import { KernelFaultError, trace, zeros, type NDArray } from '../../../../src/index.ts';
import { kernelOf } from '../kernel-of.ts';
import { ofKind, on, tracesApart } from '../../recording/trace-support.ts';

tracesApart();

const SIZE = 4096;
const shape = { grid: 16, block: 256 };
const add = kernelOf(
  2,
  '(x: DeviceArray<i32>, k: i32) => { const i = cuda.grid(1); if (i < x.length) x[i] += k; }',
  {},
  { name: 'addNumber' }
);
const copy = kernelOf(
  2,
  '(x: Readonly<DeviceArray<i32>>, out: DeviceArray<i32>) => { const i = cuda.grid(1); if (i < x.length) out[i] = x[i] * 2; }'
);
/** Writes behind the end if it is told to. */
const faulty = kernelOf(
  2,
  '(x: DeviceArray<i32>, far: boolean) => {\n  x[far ? x.length : 0] = 1;\n}',
  {},
  { name: 'faulty' }
);
const ints = (stream: Stream): NDArray => zeros(SIZE, { dtype: 'int32', stream });
const all = (value: number): number[] => Array.from({ length: SIZE }, () => value);

test('launches on one stream run in order, between other work', () => {
  using stream = on();
  const x = ints(stream);
  x.fill(5, { stream });
  add.launch({ ...shape, stream }, x, 1);
  const kept = x.copy({ stream });
  add.launch({ ...shape, stream }, x, 10);
  expect([x.toNested(), kept.toNested()]).toEqual([all(16), all(6)]);
});

test('a launch waits for the writer on another stream, and later work for the launch', () => {
  using first = on();
  using second = on();
  using third = on();
  const x = ints(first);
  const out = ints(second);
  for (let round = 0; round < 10; round++) add.launch({ ...shape, stream: first }, x, 1);
  copy.launch({ ...shape, stream: second }, x, out);
  add.launch({ ...shape, stream: third }, x, 100);
  add.launch({ ...shape, stream: first }, out, 1000);
  expect([x.toNested({ stream: third }), out.toNested({ stream: second })]).toEqual([all(110), all(1020)]);
});

test('a launch runs on the stream of its first array', () => {
  using stream = on();
  using x = ints(stream);
  stream.synchronize();
  trace.start();
  add.launch(shape, x, 1);
  stream.synchronize();
  expect(ofKind('kernel')).toMatchObject([{ name: 'addNumber', streamId: stream.id }]);
});

test('a graph runs its launches each time', () => {
  using stream = on();
  using x = ints(stream);
  using out = ints(stream);
  stream.synchronize();
  using graph = stream.capture(() => {
    add.launch({ ...shape, stream }, x, 3);
    copy.launch({ ...shape, stream }, x, out);
  });
  expect(x.toNested()).toEqual(all(0));
  graph.launch(stream);
  add.launch({ ...shape, stream }, x, 100);
  graph.launch(stream);
  expect([x.toNested(), out.toNested()]).toEqual([all(106), all(212)]);
});

test('a graph keeps the numbers that its launches had', () => {
  using stream = on();
  const x = ints(stream);
  stream.synchronize();
  using graph = stream.capture(() => {
    for (const k of [1, 10, 100]) add.launch({ ...shape, stream }, x, k);
  });
  add.launch({ ...shape, stream }, x, 5000);
  graph.launch(stream);
  expect(x.item(SIZE - 1)).toBe(5111);
});

test('a launch has its name, its stream and its arrays in a trace', () => {
  using stream = on();
  using x = ints(stream);
  using out = ints(stream);
  stream.synchronize();
  trace.start();
  add.launch({ ...shape, stream }, x, 1);
  copy.launch({ ...shape, stream }, x, out);
  stream.synchronize();
  const events = ofKind('kernel');
  expect(events.map(({ name, blocks }) => [name, blocks.map(({ access }) => access).sort()])).toEqual([
    ['addNumber', ['write']],
    ['kernel', ['read', 'write']]
  ]);
  for (const { start, end } of events) expect(end).toBeGreaterThanOrEqual(start!);
});

describe('a fault', () => {
  const broken = (stream: Stream): NDArray => {
    const x = ints(stream);
    faulty.launch({ grid: 1, block: 1, stream }, x, true);
    return x;
  };

  test.each([
    ['synchronize', (_: NDArray, stream: Stream) => stream.synchronize()],
    ['synchronize of the device', (_: NDArray, stream: Stream) => stream.device.synchronize()],
    ['toNested', (x: NDArray) => x.toNested()],
    ['toTypedArray', (x: NDArray) => x.toTypedArray()],
    ['item', (x: NDArray) => x.item(0)],
    ['a read of another array', (_: NDArray, stream: Stream) => zeros(1, { stream }).toNested()]
  ] as const)('is thrown by %s, once', (_, wait) => {
    using stream = on();
    const x = broken(stream);
    expect(() => wait(x, stream)).toThrow(KernelFaultError);
    expect(() => wait(x, stream)).not.toThrow();
    stream.synchronize();
  });

  test.each([
    ['synchronizeAsync', (_: NDArray, stream: Stream) => stream.synchronizeAsync()],
    ['toTypedArrayAsync', (x: NDArray) => x.toTypedArrayAsync()]
  ] as const)('is thrown by %s, once', async (_, wait) => {
    using stream = on();
    const x = broken(stream);
    await expect(wait(x, stream)).rejects.toThrow(KernelFaultError);
    await wait(x, stream);
  });

  test('says what happened, where, and in which thread', () => {
    using stream = on();
    broken(stream);
    let error: unknown;
    try {
      stream.synchronize();
    } catch (thrown) {
      error = thrown;
    }
    expect(error).toMatchObject({
      message:
        "faulty: index 4096 is outside 'x', whose axis 0 has the length 4096: thread (0, 0, 0) of block (0, 0, 0) in cell 1, line 2"
    });
  });

  test('leaves the device usable, and the first of several is thrown', () => {
    using stream = on();
    const x = broken(stream);
    broken(stream);
    expect(() => x.toNested()).toThrow(KernelFaultError);
    add.launch({ ...shape, stream }, x, 7);
    expect(x.item(9)).toBe(7);
    expect(() => faulty.launch({ grid: 1, block: 1, stream }, x, false)).not.toThrow();
    expect(x.item(0)).toBe(1);
  });

  test('in a graph is thrown after each launch of it', () => {
    using stream = on();
    const x = ints(stream);
    stream.synchronize();
    using graph = stream.capture(() => faulty.launch({ grid: 1, block: 1, stream }, x, true));
    for (let round = 0; round < 2; round++) {
      graph.launch(stream);
      expect(() => stream.synchronize()).toThrow(KernelFaultError);
    }
    stream.synchronize();
  });
});
