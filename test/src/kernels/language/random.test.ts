/** Random numbers in kernels are those of RandomGenerator. */

import { RandomGenerator, zeros, type NDArray } from '../../../../src/index.ts';
import { kernelOf } from '../kernel-of.ts';

const SIZE = 1003;

function drawn(expression: string, parameters = '', ...values: (number | bigint)[]): number[] {
  const x: NDArray = zeros(SIZE, { dtype: 'float32' });
  const text = `(x: DeviceArray<f32>${parameters}) => { const i = cuda.grid(1); if (i < x.length) x[i] = ${expression}; }`;
  kernelOf(1 + values.length, text).launch({ grid: 4, block: 256 }, x, ...values);
  return x.toNested() as number[];
}
const uniform = (seed: number | bigint): number[] =>
  new RandomGenerator(seed as number).uniform(SIZE, { dtype: 'float32' }).toNested() as number[];
const normal = (seed: number | bigint): number[] =>
  new RandomGenerator(seed as number).normal(SIZE, { dtype: 'float32' }).toNested() as number[];

test.each([[0], [42], [2 ** 31 - 1]])('uniform numbers of the seed %d', seed => {
  expect(drawn(`cuda.random(${seed}, i)`)).toEqual(uniform(seed));
});

test('a seed of 64 bits, as literal and as argument', () => {
  const seed = 0xdead_beef_1234_5678n;
  expect(drawn('cuda.random(s, i)', ', s: u64', seed)).toEqual(uniform(seed));
  expect(drawn('cuda.random(u64(s), i64(i))', ', s: i64', BigInt.asIntN(64, seed))).toEqual(uniform(seed));
});

test.each([
  ['i32', 7],
  ['u32', 2 ** 32 - 1],
  ['i64', 7n],
  ['u64', 2n ** 40n]
] as const)('a seed of %s', (type, seed) => {
  expect(drawn('cuda.random(s, i)', `, s: ${type}`, seed)).toEqual(uniform(seed));
});

test('places far in the sequence', () => {
  const generator = new RandomGenerator(5);
  const before = 100_000;
  generator.uniform(before, { dtype: 'float32' });
  const expected = generator.uniform(SIZE, { dtype: 'float32' }).toNested();
  expect(drawn(`cuda.random(5, i + ${before})`)).toEqual(expected);
});

test('several draws in one kernel', () => {
  const [a, b] = [uniform(1), uniform(2)];
  expect(drawn('cuda.random(1, i) - cuda.random(2, i)')).toEqual(
    a.map((each, i) => Math.fround(each - b[i]!))
  );
});

test.each([[0], [42], [123_456_789]])('normal numbers of the seed %d', seed => {
  const found = drawn(`cuda.randomNormal(${seed}, i)`);
  const far = normal(seed).filter((each, index) => !(Math.abs(each - found[index]!) < 1e-5));
  expect(far).toEqual([]);
});
