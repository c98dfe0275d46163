/** Random numbers: the generator compared with its published vectors, positions, and the shapes of the distributions. */

import { DTypeError, RandomGenerator, Stream, ValueError, type NDArray } from '../../../src/index.ts';

const on = { device: 'sim:0' } as const;

/** Philox4x32-10 of a counter and a key, written from the paper; the library's implementation is native code. */
function philox(counter: readonly number[], key: readonly number[]): number[] {
  let [a, b, c, d] = counter.map(BigInt) as [bigint, bigint, bigint, bigint];
  let [k, l] = key.map(BigInt) as [bigint, bigint];
  const low = (value: bigint): bigint => value & 0xffffffffn;
  for (let round = 0; round < 10; round++) {
    const [left, right] = [0xd2511f53n * a, 0xcd9e8d57n * c];
    [a, b, c, d] = [(right >> 32n) ^ b ^ k, low(right), (left >> 32n) ^ d ^ l, low(left)];
    [k, l] = [low(k + 0x9e3779b9n), low(l + 0xbb67ae85n)];
  }
  return [a, b, c, d].map(Number);
}

const words = (value: bigint): [number, number] => [Number(value & 0xffffffffn), Number(value >> 32n)];
const values = (array: NDArray): number[] => [...(array.toTypedArray() as Float64Array)].map(Number);

describe('bits', () => {
  test('match the first published vector of Random123 (kat_vectors, philox4x32 10)', () => {
    expect(values(new RandomGenerator(0).bits(4, on))).toEqual([
      0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8
    ]);
  });

  test('of any seed and position match a generator that gives all published vectors', () => {
    const ones = 0xffffffff;
    expect(philox([0, 0, 0, 0], [0, 0])).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
    expect(philox([ones, ones, ones, ones], [ones, ones])).toEqual([
      0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd
    ]);
    const pi = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344];
    expect(philox(pi, [0xa4093822, 0x299f31d0])).toEqual([0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1]);
    for (const seed of [1n, 2n ** 32n, 0x299f31d0a4093822n, 2n ** 64n - 1n]) {
      for (const position of [0n, 1n, 2n ** 32n - 1n, 0x85a308d3243f6a88n, 2n ** 64n - 1n]) {
        const own = values(new RandomGenerator(seed, position).bits(6, on));
        const next = BigInt.asUintN(64, position + 1n);
        const expected = [position, next].flatMap(at => philox([...words(at), 0, 0], words(seed)));
        expect(own).toEqual(expected.slice(0, 6));
      }
    }
  });

  test('of 64 are two of 32, the low one first', () => {
    const [halves, whole] = [
      new RandomGenerator(5).bits(8, on),
      new RandomGenerator(5).bits(4, { ...on, dtype: 'uint64' })
    ];
    const pairs = values(halves);
    expect([...whole.toTypedArray()].map(word => words(word)).flat()).toEqual(pairs);
  });
});

describe('positions', () => {
  test('advance by blocks of four words, and a generator can start anywhere', () => {
    const whole = values(new RandomGenerator(9).uniform(40, on));
    const split = new RandomGenerator(9);
    const parts = [split.uniform(16, on), split.uniform([4, 6], on)].flatMap(values);
    expect(parts).toEqual(whole);
    expect(split.position).toBe(20n);
    expect(values(new RandomGenerator(9, 8n).uniform(24, on))).toEqual(whole.slice(16));
    expect(values(new RandomGenerator(9).uniform(39, on))).toEqual(whole.slice(0, 39));
  });

  test('count started blocks, none for no numbers, and wrap', () => {
    const generator = new RandomGenerator(1);
    generator.uniform(5, { ...on, dtype: 'float32' });
    expect(generator.position).toBe(2n);
    expect(generator.uniform(0, on).shape).toEqual([0]);
    expect(generator.position).toBe(2n);
    const last = new RandomGenerator(1, 2n ** 64n - 1n);
    last.bits(4, on);
    expect(last.position).toBe(0n);
  });

  test('do not move if a draw is refused', () => {
    const generator = new RandomGenerator(1);
    expect(() => generator.uniform(4, { ...on, dtype: 'int32' as 'float32' })).toThrow(DTypeError);
    expect(() => generator.normal(4, { ...on, dtype: 'float16' as 'float32' })).toThrow(/astype/);
    expect(() => generator.integers(3, 3, 4, on)).toThrow(ValueError);
    expect(() => generator.integers(-1, 3, 4, { ...on, dtype: 'uint32' })).toThrow(ValueError);
    expect(() => generator.integers(0, 2 ** 32, 4, { ...on, dtype: 'int32' })).toThrow(ValueError);
    expect(() => generator.integers(0, 1.5, 4, on)).toThrow(ValueError);
    expect(generator.position).toBe(0n);
    expect(() => new RandomGenerator(0.5)).toThrow(ValueError);
    using stream = new Stream(on);
    expect(generator.uniform(4, { stream }).stream).toBe(stream);
  });
});

const N = 200_000;
const moments = (sample: readonly number[]): { mean: number; variance: number } => {
  const mean = sample.reduce((sum, each) => sum + each, 0) / sample.length;
  return { mean, variance: sample.reduce((sum, each) => sum + (each - mean) ** 2, 0) / sample.length };
};

/** Chi-square of counts that should be uniform. */
function chiSquare(bins: readonly number[]): number {
  const expected = bins.reduce((sum, each) => sum + each, 0) / bins.length;
  return bins.reduce((sum, each) => sum + (each - expected) ** 2 / expected, 0);
}

// 99 degrees of freedom: 1 in 10,000 samples is above 161. The seeds are fixed, so that this fails only after a change.
const LIMIT = 161;

describe.each(['float32', 'float64'] as const)('%s', dtype => {
  test('uniform is evenly distributed over [0, 1)', () => {
    const sample = values(new RandomGenerator(11).uniform(N, { ...on, dtype }));
    const { mean, variance } = moments(sample);
    expect(Math.abs(mean - 0.5)).toBeLessThan((4 * Math.sqrt(1 / 12)) / Math.sqrt(N));
    expect(Math.abs(variance - 1 / 12)).toBeLessThan(0.001);
    const bins = new Array<number>(100).fill(0);
    for (const each of sample) bins[Math.floor(each * 100)] = (bins[Math.floor(each * 100)] as number) + 1;
    expect(bins).toHaveLength(100);
    expect(chiSquare(bins)).toBeLessThan(LIMIT);
    const steps = 2 ** (dtype === 'float32' ? 24 : 53);
    expect(sample.every(each => each >= 0 && each < 1 && Number.isInteger(each * steps))).toBe(true);
  });

  test('normal has mean 0, variance 1, the expected share within one, and no correlation of neighbours', () => {
    const sample = values(new RandomGenerator(12).normal(N, { ...on, dtype }));
    const { mean, variance } = moments(sample);
    expect(Math.abs(mean)).toBeLessThan(4 / Math.sqrt(N));
    expect(Math.abs(variance - 1)).toBeLessThan((4 * Math.SQRT2) / Math.sqrt(N));
    const within = sample.filter(each => Math.abs(each) < 1).length / N;
    expect(Math.abs(within - 0.6826895)).toBeLessThan(0.0042);
    const beyond = sample.filter(each => Math.abs(each) > 3).length / N;
    expect(Math.abs(beyond - 0.0026998)).toBeLessThan(0.0005);
    const neighbours =
      sample.slice(1).reduce((sum, each, index) => sum + each * (sample[index] as number), 0) / N;
    expect(Math.abs(neighbours)).toBeLessThan(4 / Math.sqrt(N));
    expect(sample.every(Number.isFinite)).toBe(true);
  });
});

describe.each(['int32', 'int64', 'uint32', 'uint64'] as const)('integers of %s', dtype => {
  test('are evenly distributed over their range and stay inside', () => {
    const low = dtype.startsWith('u') ? 7 : -50;
    const bins = new Array<number>(100).fill(0);
    for (const each of values(new RandomGenerator(13).integers(low, low + 100, N, { ...on, dtype }))) {
      bins[each - low] = (bins[each - low] as number) + 1;
    }
    expect(bins).toHaveLength(100);
    expect(chiSquare(bins)).toBeLessThan(LIMIT);
  });

  test('cover the whole range of the type', () => {
    const bits = dtype.endsWith('64') ? 64n : 32n;
    const low = dtype.startsWith('u') ? 0n : -(1n << (bits - 1n));
    const sample = [
      ...new RandomGenerator(14).integers(low, low + (1n << bits), 4000, { ...on, dtype }).toTypedArray()
    ].map(BigInt);
    const quarter = (at: bigint): number => sample.filter(each => (each - low) >> (bits - 2n) === at).length;
    for (const at of [0n, 1n, 2n, 3n]) expect(Math.abs(quarter(at) - 1000)).toBeLessThan(120);
  });

  test('reach the greatest number from any lower bound', () => {
    const bits = dtype.endsWith('64') ? 64n : 32n;
    const end = dtype.startsWith('u') ? 1n << bits : 1n << (bits - 1n);
    for (const low of [end - 2n, end - (1n << (bits - 1n)) - 5n].filter(
      each => dtype.startsWith('i') || each >= 0n
    )) {
      const sample = [
        ...new RandomGenerator(15).integers(low, end, 400, { ...on, dtype }).toTypedArray()
      ].map(BigInt);
      expect(sample.every(each => each >= low && each < end)).toBe(true);
      const middle = low + (end - low) / 2n;
      expect(Math.abs(sample.filter(each => each < middle).length - 200)).toBeLessThan(50);
    }
  });
});
