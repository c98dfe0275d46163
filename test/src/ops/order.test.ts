/** Array operations and streams: they wait for writers, later writers wait for them, and they can be captured. */

import {
  add,
  arange,
  ArgumentError,
  array,
  cuda,
  cumsum,
  Event,
  matmul,
  RandomGenerator,
  Stream,
  sum,
  take,
  zeros,
  type NDArray
} from '../../../src/index.ts';
import { callsOf } from '../conformance/cai-support.ts';

const device = 'rec:0';
const dtype = 'float32';

type Run = (a: NDArray, stream: Stream, out: NDArray) => unknown;

const positions = { [device]: rows(device), 'sim:0': rows('sim:0') };
function rows(of: string): NDArray {
  return array([0, 1, 2, 3], { device: of, dtype: 'int32' });
}
const doubled = cuda.map((x: number) => x * 2);

/** Each writes `out`, of the same shape as its operand, (4, 4). */
const RUNS: readonly (readonly [string, Run])[] = [
  ['add', (a, stream, out) => add(a, a, { stream, out })],
  ['map', (a, stream, out) => doubled(a, { stream, out })],
  ['matmul', (a, stream, out) => matmul(a, a, { stream, out })],
  ['sum', (a, stream, out) => sum(a.reshape(1, 4, 4), { axis: 0, stream, out })],
  ['cumsum', (a, stream, out) => cumsum(a, { axis: 0, stream, out })],
  [
    'astype',
    (a, stream, out) => out.copyFrom(a.astype('float64', { stream }).astype(dtype, { stream }), { stream })
  ],
  [
    'take',
    (a, stream, out) => take(a, positions[a.device.label as 'sim:0'], { axis: 0, mode: 'wrap', stream, out })
  ]
];

describe.each(RUNS)('%s', (_, run) => {
  test('waits for a writer on another stream, and the next writer for it', () => {
    using writer = new Stream({ device });
    using reader = new Stream({ device });
    const a = zeros([4, 4], { stream: writer, dtype });
    const out = zeros([4, 4], { stream: reader, dtype });
    reader.wait(Stream.legacyDefault(device));
    reader.synchronize();
    a.fill(1, { stream: writer });
    expect(callsOf(() => run(a, reader, out))).toContain('cuStreamWaitEvent');
    expect(callsOf(() => a.fill(2, { stream: writer }))).toContain('cuStreamWaitEvent');
    expect(a.item(3, 3)).toBe(2);
    expect([1, 2, 4]).toContain(out.item(0, 0));
  });

  test('starts after the writer, in device time', () => {
    using writer = new Stream({ device: 'sim:0' });
    using reader = new Stream({ device: 'sim:0' });
    const large = zeros([1024, 1024], { stream: writer, dtype });
    using written = new Event({ device: 'sim:0' });
    using done = new Event({ device: 'sim:0' });
    const a = large.slice(':4', ':4').reshape(4, 4);
    const out = zeros([4, 4], { stream: reader, dtype });
    writer.synchronize();
    large.copyFrom(zeros([1024, 1024], { stream: writer, dtype }), { stream: writer });
    writer.record(written);
    run(a, reader, out);
    reader.record(done);
    reader.synchronize();
    writer.synchronize();
    expect(done.native.elapsedSince(written.native)).toBeGreaterThan(0);
  });
});

test('work on one stream makes no ordering call', () => {
  using stream = new Stream({ device });
  const [a, b] = [zeros(8, { stream }), zeros(8, { stream })];
  const calls = callsOf(() => {
    add(a, b, { out: a });
    a.multiply(a, { out: b });
  });
  expect(calls.filter(call => call.startsWith('cuEvent') || call === 'cuStreamWaitEvent')).toEqual([]);
});

test('random numbers wait for readers of the memory that they write', () => {
  using stream = new Stream({ device });
  const drawn = new RandomGenerator(3).normal([64], { stream });
  using reader = new Stream({ device });
  expect(callsOf(() => drawn.add(1, { stream: reader }))).toContain('cuStreamWaitEvent');
});

test('a capture keeps operations and repeats them at each launch', () => {
  using stream = new Stream({ device: 'sim:0' });
  const a = arange(4, { stream, dtype });
  const [total, scaled] = [zeros([], { stream, dtype }), zeros(4, { stream, dtype })];
  const wave = cuda.map((x: number) => x * 2 + 1);
  stream.synchronize();
  using graph = stream.capture(() => {
    a.add(1, { out: a, stream });
    wave(a, { out: scaled, stream });
    sum(scaled, { out: total, stream });
  });
  expect([a.item(0), total.item()]).toEqual([0, 0]);
  graph.launch(stream);
  graph.launch(stream);
  expect(a.toNested()).toEqual([2, 3, 4, 5]);
  expect(scaled.toNested()).toEqual([5, 7, 9, 11]);
  expect(total.item()).toBe(32);
});

test('a capture includes temporaries too, and refuses functions that must read the data', () => {
  using stream = new Stream({ device: 'sim:0' });
  const a = arange(5, { stream, dtype });
  const square = arange(4, { stream, dtype }).reshape(2, 2);
  const chosen = array([0, 1], { stream, dtype: 'int32' });
  stream.synchronize();
  using graph = stream.capture(() => {
    a.slice(':-1').add(10, { out: a.slice('1:'), stream });
    square.matmul(square, { out: square, stream });
    expect(() => take(a, chosen, { stream })).toThrow(ArgumentError);
  });
  expect(square.toNested()).toEqual([
    [0, 1],
    [2, 3]
  ]);
  graph.launch(stream);
  expect(a.toNested()).toEqual([0, 10, 11, 12, 13]);
  expect(square.toNested()).toEqual([
    [2, 3],
    [6, 11]
  ]);
  graph.launch(stream);
  expect(a.toNested()).toEqual([0, 10, 20, 21, 22]);
});

test('listeners are informed of operations, of each operand once', () => {
  const on = { device: 'sim:0' } as const;
  const [a, b, out] = [zeros(2, on), zeros(2, on), zeros(2, on)];
  const heard: string[] = [];
  for (const [name, each] of Object.entries({ a, b, out })) each.onUse(() => heard.push(name));
  add(a, b, { out });
  expect(heard.sort()).toEqual(['a', 'b', 'out']);
});
