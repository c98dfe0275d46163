import { describeArray } from '../../../src/pictures/array/describe.ts';
import { measureHistogram, measureLater, measureNow } from '../../../src/pictures/array/statistics.ts';
import type {
  MeasuredStatistics,
  StatisticsDescription
} from '../../../src/pictures/array/statistics-schema.ts';
import { formatScalar } from '../../../src/dtype/elements.ts';
import type { Scalar } from '../../../src/dtype/host-array.ts';
import type { NDArray } from '../../../src/index.ts';
import { DefaultCUDAMemoryManager, usingMemoryManager } from '../../../src/memory/index.ts';
import {
  arange,
  array,
  empty,
  recordDType,
  Stream,
  zeros,
  type DTypeLike,
  type Nested
} from '../../../src/index.ts';

const sim = { device: 'sim:0' } as const;

function flat(nested: Nested): (Scalar | null)[] {
  return Array.isArray(nested) ? (nested as Nested[]).flatMap(flat) : [nested as Scalar | null];
}

function numberOf(value: Scalar): number {
  return typeof value === 'object' && 're' in value
    ? Math.hypot(Number(value.re), Number(value.im))
    : Number(value);
}

/** Computes the statistics of an array on the host, element by element, as the expected result. */
function oracle(a: NDArray, bins: number, range?: readonly [number, number]) {
  const elements = flat(a.toNested());
  const valid = elements.filter(value => value !== null);
  const numbers = valid.map(numberOf);
  const finite = numbers.filter(Number.isFinite);
  const whole = 'biu'.includes(a.dtype.kind);
  const low = range?.[0] ?? finite.reduce((least, each) => Math.min(least, each), Infinity);
  const high = range?.[1] ?? finite.reduce((most, each) => Math.max(most, each), -Infinity);
  const width = whole ? Math.max(1, Math.ceil((high - low + 1) / bins)) : 0;
  const counts = new Array<number>(bins).fill(0);
  for (const number of finite) {
    if (number < low || number > high) continue;
    const span = high * 0.5 - low * 0.5;
    const part = whole ? (number - low) / width : span > 0 ? ((number * 0.5 - low * 0.5) / span) * bins : 0;
    counts[Math.min(Math.floor(part), bins - 1)]! += 1;
  }
  const used = whole ? Math.floor((high - low) / width) + 1 : high > low ? bins : 1;
  return {
    finite,
    histogram: {
      counts: finite.length === 0 && range === undefined ? [] : counts.slice(0, used),
      below: finite.filter(number => number < low).length,
      above: finite.filter(number => number > high).length,
      nan: numbers.filter(Number.isNaN).length,
      positiveInfinity: numbers.filter(number => number === Infinity).length,
      negativeInfinity: numbers.filter(number => number === -Infinity).length,
      masked: elements.length - valid.length
    }
  };
}

function measured(statistics: StatisticsDescription): MeasuredStatistics {
  if (statistics.state === 'missing') throw new Error(statistics.reason);
  return statistics;
}

async function compare(a: NDArray): Promise<void> {
  await a.synchronizeAsync();
  const { finite, histogram } = oracle(a, 16);
  const found = measured(await measureLater(a));
  expect(found.histogram).toMatchObject(histogram);
  expect(await measureHistogram(a)).toMatchObject(oracle(a, 64).histogram);
  if (finite.length === 0) expect([found.minimum, found.maximum, found.mean]).toEqual([null, null, null]);
  else {
    const mean = finite.reduce((sum, each) => sum + each, 0) / finite.length;
    // Six digits are shown.
    const size = finite.reduce((most, each) => Math.max(most, Math.abs(each)), 0);
    expect(Math.abs(Number(found.mean) - mean)).toBeLessThanOrEqual(1e-5 * size);
  }
}

/** Reproducible numbers without a pattern. */
function* noise(seed: number): Generator<number> {
  for (let state = seed; ;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield state / 2 ** 31;
  }
}

const KINDS: readonly (readonly [DTypeLike, (value: number) => Scalar])[] = [
  ['bool', value => value > 0.4],
  ['int8', value => Math.floor(value * 255) - 128],
  ['uint8', value => Math.floor(value * 256)],
  ['int16', value => Math.floor(value * 900)],
  ['uint32', value => Math.floor(value * 2 ** 32)],
  ['int64', value => BigInt(Math.floor(value * 2 ** 40)) - 2n ** 39n],
  ['uint64', value => BigInt(Math.floor(value * 50))],
  ['float16', value => value * 8 - 4],
  ['bfloat16', value => value * 8 - 4],
  ['float8_e4m3fn', value => value * 8 - 4],
  ['float8_e5m2', value => value * 8 - 4],
  ['float32', value => value * 8 - 4],
  ['float64', value => value * 1e-3],
  ['complex64', value => ({ re: value, im: 1 - value })]
];

describe('statistics and histograms agree with a computation on the host', () => {
  test.each(KINDS)('of %s, contiguous and strided', async (dtype, make) => {
    const random = noise(7);
    const values = Array.from({ length: 6 * 35 }, () => make(random.next().value as number));
    const a = array(values, { ...sim, dtype }).reshape(6, 5, 7);
    await compare(a);
    await compare(a.slice('::-2', null, '1::3').transpose(2, 0, 1));
    await compare(a.slice(0, 0).broadcastTo([3, 7]));
    await compare(a.slice(2, 3, 4));
  });

  test.each(['float16', 'bfloat16', 'float32', 'float64', 'float8_e5m2'] as const)(
    'of %s with NaN, infinities and both zeros',
    async dtype => {
      await compare(array([NaN, 1, -Infinity, -0, Infinity, 0, 2, NaN], { ...sim, dtype }));
      await compare(array([NaN, NaN], { ...sim, dtype }));
      await compare(array([Infinity, -Infinity], { ...sim, dtype }));
    }
  );

  test('of elements whose difference or sum overflows float64', async () => {
    const a = array([-1.5e308, 0, 1.5e308, 1.5e308, 1.5e308], sim);
    await a.synchronizeAsync();
    const found = measured(await measureLater(a));
    expect(found).toMatchObject({ minimum: '-1.5e+308', maximum: '1.5e+308', mean: null });
    expect(found.note).toContain('the sum exceeds float64');
    expect(found.histogram.counts).toEqual(oracle(a, 16).histogram.counts);
  });

  test('of equal elements have one bin', async () => {
    const a = zeros([4, 4], sim).fill(2.5);
    await a.synchronizeAsync();
    expect(await measureHistogram(a)).toMatchObject({ counts: [16], low: 2.5, width: 0 });
  });

  test('64-bit integers are exact', async () => {
    const signed = array([-(2n ** 63n), 2n ** 63n - 1n, 9_007_199_254_740_993n], sim);
    const unsigned = array([2n ** 64n - 1n, 9_007_199_254_740_993n], { ...sim, dtype: 'uint64' });
    expect(measured(await measureLater(signed))).toMatchObject({
      minimum: String(-(2n ** 63n)),
      maximum: String(2n ** 63n - 1n)
    });
    expect(measured(await measureLater(unsigned))).toMatchObject({
      minimum: '9007199254740993',
      maximum: String(2n ** 64n - 1n)
    });
  });

  test('of masked arrays only the valid elements count (rules 49, 50)', async () => {
    const values = array([5, 1, NaN, 9, -3, 2], sim).reshape(2, 3);
    const mask = array([true, true, true, false, true, false], sim).reshape(2, 3);
    await compare(values.withMask(mask));
    await compare(array([7n, 1n, 3n], sim).withMask(array([0, 1, 1], sim)));
    await compare(values.withMask(zeros([2, 3], { ...sim, dtype: 'bool' })));
    expect(measured(await measureLater(array([7n, 1n], sim).withMask(array([0, 1], sim))))).toMatchObject({
      minimum: '1',
      maximum: '1'
    });
  });

  test('notes explain the figures', async () => {
    const noteOf = async (a: NDArray): Promise<string> => measured(await measureLater(a)).note;
    expect(await noteOf(array([{ re: 3, im: 4 }], sim))).toMatch(/^of magnitudes · measured on /);
    expect(await noteOf(array([NaN], sim))).toMatch(/^no finite value · /);
    expect(await noteOf(array([1, 2], sim).withMask(array([1, 0], sim)))).toMatch(/^1 masked · /);
  });

  test('of more elements than one piece are added up', async () => {
    const a = arange(300_000, { ...sim, dtype: 'float32' }).reshape(3, 100_000);
    await a.synchronizeAsync();
    const { counts } = await measureHistogram(a);
    expect(counts).toEqual(oracle(a, 64).histogram.counts);
  }, 30_000);

  test.each([
    [array([1, 2, 3, 4, 5, NaN, -Infinity], sim), [2, 4]],
    [array([1, 2, 3, 4, 5], { ...sim, dtype: 'int32' }), [2, 4]]
  ] as const)(
    'are measured in a given range, with the elements outside counted separately %#',
    async (a, range) => {
      await a.synchronizeAsync();
      expect(await measureHistogram(a, range)).toMatchObject(oracle(a, 64, range).histogram);
    }
  );
});

describe('missing statistics have a reason', () => {
  test('without elements, without arithmetic, or freed', async () => {
    const record = recordDType([['x', '<f4']]);
    const freed = zeros(3, sim);
    freed.dispose();
    const reasons = [
      zeros([0, 3], sim),
      zeros(2, { ...sim, dtype: record }),
      zeros(2, { ...sim, dtype: '|S4' }),
      freed
    ].map(measureNow);
    expect(reasons).toEqual([
      { state: 'missing', measurable: false, reason: 'The array has no elements.' },
      {
        state: 'missing',
        measurable: false,
        reason: expect.stringContaining('take one of its fields') as string
      },
      {
        state: 'missing',
        measurable: false,
        reason: expect.stringContaining('arithmetic does not support') as string
      },
      { state: 'missing', measurable: false, reason: 'The memory was freed.' }
    ]);
    await expect(measureHistogram(zeros(0, sim))).rejects.toThrow('no elements');
  });

  test('pending work is not waited for automatically, only on request', async () => {
    using stream = new Stream(sim);
    const a = zeros(2 ** 22, { stream });
    for (let round = 0; round < 20; round++) a.fill(round);
    expect(measureNow(a)).toMatchObject({
      measurable: true,
      reason: expect.stringContaining(stream.toString()) as string
    });
    using small = a.slice(':100');
    expect(await measureLater(small)).toMatchObject({ state: 'measured', maximum: '19' });
  });

  test('large arrays are measured on request only', async () => {
    const a = zeros(2 ** 18 + 1, { ...sim, dtype: 'uint8' });
    await a.synchronizeAsync();
    expect(measureNow(a)).toMatchObject({
      measurable: true,
      reason: expect.stringContaining('256 Ki') as string
    });
    expect(await measureLater(a)).toMatchObject({ state: 'measured' });
  });
});

test('measuring is not a use: no listener is called, no stream is named, no memory is kept', async () => {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager);
  const a = arange(1000, sim);
  await a.synchronizeAsync();
  let uses = 0;
  a.onUse(() => uses++);
  const before = describeArray(a, { preview: false }).streams.map(({ sequence }) => sequence);
  await measureLater(a);
  await measureHistogram(a);
  expect(uses).toBe(0);
  expect(describeArray(a, { preview: false }).streams.map(({ sequence }) => sequence)).toEqual(before);
  a.fill(1);
  expect(uses).toBe(1);
});

test('a write after the measurement waits for it: the figures are of the time of the call', async () => {
  using other = new Stream(sim);
  const a = arange(2 ** 17, { ...sim, dtype: 'float64' });
  const later = measureLater(a);
  a.fill(-1, { stream: other });
  expect(await later).toMatchObject({ minimum: '0', maximum: formatScalar(2 ** 17 - 1) });
});

test('a range of integers far beyond the type is counted, and can be written as JSON', async () => {
  const a = array([-5, 0, 7], { ...sim, dtype: 'int8' });
  const told = await measureHistogram(a, [-1e308, 1e308]);
  expect(JSON.parse(JSON.stringify(told))).toEqual(told);
  expect(told.counts.reduce((sum, each) => sum + each, 0)).toBe(3);
  expect(await measureHistogram(a, [1e300, 1e301])).toMatchObject({ below: 3, above: 0 });
});

test('an uninitialized array is measured as it is', async () => {
  const a = empty(5, { ...sim, dtype: 'uint8' });
  expect(measured(await measureLater(a)).histogram.counts.reduce((sum, each) => sum + each, 0)).toBe(5);
});
