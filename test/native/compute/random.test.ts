import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { block, errorOf } from '../support.ts';
import { get, itemsize, on, typeNumber, type Value, compute } from './support.ts';

const mask = (value: bigint): bigint => BigInt.asUintN(32, value);

/** Philox4x32-10 by its definition. */
function philox(counter: bigint, seed: bigint): [bigint, bigint, bigint, bigint] {
  let x: [bigint, bigint, bigint, bigint] = [mask(counter), mask(counter >> 32n), 0n, 0n];
  let [low, high] = [mask(seed), mask(seed >> 32n)];
  for (let round = 0; round < 10; round++) {
    const [first, second] = [0xd2511f53n * x[0], 0xcd9e8d57n * x[2]];
    x = [mask((second >> 32n) ^ x[1] ^ low), mask(second), mask((first >> 32n) ^ x[3] ^ high), mask(first)];
    [low, high] = [mask(low + 0x9e3779b9n), mask(high + 0xbb67ae85n)];
  }
  return x;
}

const words32 = (count: number, seed: bigint, offset: bigint): bigint[] =>
  Array.from({ length: Math.ceil(count / 4) }, (_, group) =>
    philox(BigInt.asUintN(64, offset + BigInt(group)), seed)
  )
    .flat()
    .slice(0, count);
const words64 = (count: number, seed: bigint, offset: bigint): bigint[] => {
  const halves = words32(2 * count, seed, offset);
  return Array.from(
    { length: count },
    (_, index) => (halves[2 * index] as bigint) | ((halves[2 * index + 1] as bigint) << 32n)
  );
};

type Distribution = Parameters<typeof compute.random>[1];

function random(
  distribution: Distribution,
  type: ElementTypeName,
  count: number,
  parameters: Float64Array | BigInt64Array | null,
  seed = 12345678901234567890n,
  offset = 0xffffffff0n
): Value[] {
  const out = block(count * itemsize(type));
  compute.random(on(), distribution, typeNumber(type), seed, offset, parameters, Float64Array.of(count, 0), [
    out
  ]);
  return get(out, type, count);
}

const [SEED, OFFSET] = [12345678901234567890n, 0xffffffff0n];

test('bits are those of the published generator', () => {
  expect(random('bits', 'uint32', 4, null, 0n, 0n)).toEqual([0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8]);
  expect(random('bits', 'uint32', 5003, null)).toEqual(words32(5003, SEED, OFFSET).map(Number));
  expect(random('bits', 'uint64', 5003, null)).toEqual(words64(5003, SEED, OFFSET));
  expect(random('bits', 'uint8', 9, null)).toEqual(
    words32(9, SEED, OFFSET).map(word => Number(word & 0xffn))
  );
  expect(random('bits', 'int16', 9, null)).toEqual(
    words32(9, SEED, OFFSET).map(word => Number(BigInt.asIntN(16, word)))
  );
  expect(random('bits', 'uint32', 8, null, 1n, 2n ** 64n - 1n)).toEqual(
    words32(8, 1n, 2n ** 64n - 1n).map(Number)
  );
});

test('an offset continues where another draw ended', () => {
  const all = random('uniform', 'float32', 64, Float64Array.of(0, 1), 7n, 0n);
  expect(random('uniform', 'float32', 32, Float64Array.of(0, 1), 7n, 8n)).toEqual(all.slice(32));
});

test('uniform numbers have 24 and 53 bits', () => {
  const unit = Float64Array.of(0, 1);
  expect(random('uniform', 'float32', 99, unit)).toEqual(
    words32(99, SEED, OFFSET).map(word => Number(word >> 8n) * 2 ** -24)
  );
  expect(random('uniform', 'float64', 99, unit)).toEqual(
    words64(99, SEED, OFFSET).map(word => Number(word >> 11n) * 2 ** -53)
  );
  expect(random('uniform', 'float16', 9, unit)).toEqual(
    words32(9, SEED, OFFSET).map(word => Math.f16round(Number(word >> 8n) * 2 ** -24))
  );
  const scaled = random('uniform', 'float64', 9, Float64Array.of(-2, 3));
  expect(scaled).toEqual(words64(9, SEED, OFFSET).map(word => -2 + Number(word >> 11n) * 2 ** -53 * 5));
});

test('normal numbers are those of Box and Muller', () => {
  const got = random('normal', 'float64', 7, Float64Array.of(10, 2)) as number[];
  const units = words64(8, SEED, OFFSET).map(word => Number(word >> 11n) * 2 ** -53);
  got.forEach((value, index) => {
    const [u, v] = [units[index - (index % 2)] as number, units[index - (index % 2) + 1] as number];
    const radius = Math.sqrt(-2 * Math.log(1 - u));
    expect(value).toBeCloseTo(
      10 + 2 * radius * (index % 2 === 0 ? Math.cos(2 * Math.PI * v) : Math.sin(2 * Math.PI * v)),
      12
    );
  });
  for (const type of ['float32', 'float16', 'bfloat16'] as const) {
    const many = random('normal', type, 20000, Float64Array.of(0, 1)) as number[];
    const mean = many.reduce((sum, value) => sum + value, 0) / many.length;
    const variance = many.reduce((sum, value) => sum + (value - mean) ** 2, 0) / many.length;
    expect(Math.abs(mean)).toBeLessThan(0.03);
    expect(Math.abs(variance - 1)).toBeLessThan(0.05);
    expect(many.every(Number.isFinite)).toBe(true);
  }
});

test('integers multiply and shift', () => {
  const between = (low: bigint, high: bigint) => BigInt64Array.of(low, high);
  expect(random('integers', 'int32', 99, between(-5n, 12n))).toEqual(
    words32(99, SEED, OFFSET).map(word => Number(((word * 17n) >> 32n) - 5n))
  );
  expect(random('integers', 'int64', 99, between(-(2n ** 63n), 2n ** 63n - 1n))).toEqual(
    words64(99, SEED, OFFSET).map(word => ((word * (2n ** 64n - 1n)) >> 64n) - 2n ** 63n)
  );
  expect(random('integers', 'uint8', 9, between(0n, 256n))).toEqual(
    words32(9, SEED, OFFSET).map(word => Number(word >> 24n))
  );
  const top = 2n ** 64n - 1n;
  expect(random('integers', 'uint64', 3, between(0n, BigInt.asIntN(64, top)))).toEqual(
    words64(3, SEED, OFFSET).map(word => (word * top) >> 64n)
  );
});

test('refusals', () => {
  const kind = (
    distribution: string,
    type: ElementTypeName,
    parameters: Float64Array | BigInt64Array | null,
    count = 4
  ) => errorOf(() => random(distribution as Distribution, type, count, parameters)).kind;
  expect(kind('poisson', 'float32', null)).toBe('argument');
  expect(kind('bits', 'float32', null)).toBe('argument');
  expect(kind('uniform', 'int32', Float64Array.of(0, 1))).toBe('argument');
  expect(kind('uniform', 'float8_e5m2', Float64Array.of(0, 1))).toBe('argument');
  expect(kind('uniform', 'float32', null)).toBe('argument');
  expect(kind('uniform', 'float32', Float64Array.of(0))).toBe('argument');
  expect(kind('integers', 'int32', Float64Array.of(0, 1))).toBe('argument');
  expect(kind('integers', 'int32', BigInt64Array.of(3n, 3n))).toBe('argument');
  expect(kind('integers', 'int32', BigInt64Array.of(3n, -3n))).toBe('argument');
  expect(kind('integers', 'uint32', BigInt64Array.of(0n, 2n ** 33n))).toBe('argument');
  const out = block(8);
  const bounds = (layout: number[]) =>
    errorOf(() =>
      compute.random(on(), 'bits', typeNumber('uint32'), 0n, 0n, null, Float64Array.from(layout), [out])
    ).kind;
  expect(bounds([3, 0])).toBe('bounds');
  expect(bounds([2, 1])).toBe('bounds');
  expect(bounds([2])).toBe('argument');
  const before = on().sequence;
  compute.random(on(), 'bits', typeNumber('uint32'), 0n, 0n, null, Float64Array.of(0, 0), [out]);
  expect(on().sequence).toBe(before);
});
