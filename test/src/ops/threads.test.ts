/** Operations on arrays that are large enough for several threads, tiles and blocks. */

import * as library from '../../../src/index.ts';
import { printedBy } from '../../setup/repository.ts';

const { add, arange, argmax, array, concatenate, cumsum, max, multiply, sum, take } = library;
const device = 'sim:0';

/** Sides that are not multiples of a tile, and lengths that are not multiples of a block. */
const [ROWS, COLUMNS] = [261, 518] as const;
const matrix = (dtype: 'uint8' | 'int16' | 'int32' | 'float64' | 'complex128') =>
  multiply(arange(ROWS * COLUMNS, { dtype: 'int64', device }), 7)
    .astype(dtype)
    .reshape(ROWS, COLUMNS);
const at = (row: number, column: number, modulus: number) => (7 * (row * COLUMNS + column)) % modulus;

describe('large layouts', () => {
  test.each([
    ['uint8', 256],
    ['int16', 2 ** 16],
    ['int32', 2 ** 32],
    ['float64', 2 ** 40],
    ['complex128', 2 ** 40]
  ] as const)('copies of transposed, strided and reversed %s', (dtype, modulus) => {
    const plain = matrix(dtype);
    const wanted = (row: number, column: number) => {
      const element = at(row, column, modulus);
      return dtype === 'int16' && element >= 2 ** 15 ? element - 2 ** 16 : element;
    };
    const check = (view: library.NDArray, from: (i: number, j: number) => number) => {
      const wide = view.shape[1]!;
      const host = view.copy().astype('float64').toTypedArray();
      const wrong: number[] = [];
      for (let index = 0; index < host.length; index++)
        if (host[index] !== from(Math.floor(index / wide), index % wide)) wrong.push(index);
      expect(wrong).toEqual([]);
    };
    check(plain.transpose(), (i, j) => wanted(j, i));
    check(plain.slice(null, '::2'), (i, j) => wanted(i, 2 * j));
    check(plain.slice('::-1', '::-1'), (i, j) => wanted(ROWS - 1 - i, COLUMNS - 1 - j));
    check(plain.slice('5::3', '1::3').transpose(), (i, j) => wanted(5 + 3 * j, 1 + 3 * i));
  });

  test('a matrix and its transposed, a row and a column are added', () => {
    const square = matrix('int32').slice(null, [0, ROWS]);
    const both = add(square, square.transpose()).toNested() as number[][];
    const crossed = add(square.slice([0, 1]), square.slice(null, [0, 1])).toNested() as number[][];
    for (const [i, j] of [
      [0, 0],
      [1, 250],
      [31, 32],
      [256, 260],
      [260, 3]
    ] as const) {
      expect(both[i]![j]).toBe(at(i, j, 2 ** 31) + at(j, i, 2 ** 31));
      expect(crossed[i]![j]).toBe(at(0, j, 2 ** 31) + at(i, 0, 2 ** 31));
    }
  });

  test('three axes are permuted', () => {
    const cube = arange(70 * 65 * 97, { dtype: 'int32', device }).reshape(70, 65, 97);
    const turned = cube.transpose(2, 0, 1).copy().toTypedArray();
    const wrong: number[] = [];
    for (let index = 0; index < turned.length; index++) {
      const [a, b, c] = [Math.floor(index / (70 * 65)), Math.floor(index / 65) % 70, index % 65];
      if (turned[index] !== (b * 65 + c) * 97 + a) wrong.push(index);
    }
    expect(wrong).toEqual([]);
  });

  test('the first of equal elements is found, wherever a thread begins', () => {
    const count = 2 ** 20 + 77;
    for (const position of [0, 63, 131071, 131072, 2 ** 20 + 76]) {
      const values = new Int32Array(count).fill(-5);
      values[position] = 9;
      values[count - 1] = 9;
      const on = array(values, { dtype: 'int32', device });
      expect(Number(argmax(on).item())).toBe(position);
      expect(max(on).item()).toBe(9);
      const floats = on.astype('float64');
      expect(Number(argmax(floats).item())).toBe(position);
    }
  });

  test('sums, running sums and taken rows are those of the elements', () => {
    const square = matrix('int32');
    const total = (from: (index: number) => number, count: number) =>
      Array.from({ length: count }, (_, index) => from(index)).reduce((a, b) => a + b, 0);
    expect(Number(sum(square).item())).toBe(total(index => 7 * index, ROWS * COLUMNS));
    expect(Number(sum(square, { axis: 0 }).item(517))).toBe(total(row => at(row, 517, 2 ** 40), ROWS));
    expect(Number(sum(square, { axis: 1 }).item(260))).toBe(
      total(column => at(260, column, 2 ** 40), COLUMNS)
    );
    expect(Number(cumsum(square, { axis: 1 }).slice(260, 517).item())).toBe(
      total(column => at(260, column, 2 ** 40), COLUMNS)
    );
    const positions = array(
      new Int32Array(5000).map((_, index) => (index * 31) % ROWS),
      { dtype: 'int32', device }
    );
    const taken = take(square, positions, { axis: 0 }).toNested() as number[][];
    expect(taken[4999]![517]).toBe(at((4999 * 31) % ROWS, 517, 2 ** 40));
    const columns = take(square, positions, { axis: 1 }).toNested() as number[][];
    expect(columns[260]![4999]).toBe(at(260, (4999 * 31) % ROWS, 2 ** 40));
    const bad = concatenate([positions, array([ROWS], { dtype: 'int32', device })]);
    expect(() => take(square, bad, { axis: 0 })).toThrow(
      `position ${ROWS} is outside an axis of length ${ROWS}`
    );
  });
});

/** Returns a digest of the bytes of some results, which must not depend on the number of threads. */
const PROGRAM = `
  import { createHash } from 'node:crypto';
  import * as s from 'stridelab';
  const random = new s.RandomGenerator(3);
  const on = { device: 'sim:0' };
  const a = random.normal([300, 1030], { ...on, dtype: 'float32' });
  const b = random.normal([1030, 200], { ...on, dtype: 'float32' });
  const results = [
    s.sum(a), s.sum(a, { axis: 0 }), s.sum(a, { axis: 1 }), s.mean(a.transpose(), { axis: 0 }), s.prod(a, { axis: 1 }),
    s.cumsum(a, { axis: 0 }), s.cumsum(a, { axis: 1 }), s.matmul(a, b), s.matmul(a, b.slice(null, 0)), s.matmul(b.slice(null, 0), a.transpose()),
    s.matmul(a.reshape(100, 3, 1030), b), s.exp(a), s.add(a, a.slice('::-1')), s.sum(random.uniform(600001, on)), random.normal(200001, on)
  ];
  const hash = createHash('sha256');
  for (const result of results) hash.update(Buffer.from(result.copy().toTypedArray().buffer));
  console.log(JSON.stringify(hash.digest('hex')));
`;

test('results do not depend on the number of threads', async () => {
  const digests = await Promise.all(
    ['1', '2', '3', '16'].map(threads => printedBy(PROGRAM, { STRIDELAB_SIM_THREADS: threads }))
  );
  expect(digests[0]).toMatch(/^[0-9a-f]{64}$/);
  expect(new Set(digests).size).toBe(1);
});
