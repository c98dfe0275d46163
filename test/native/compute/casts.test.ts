/** Casts that take several elements at a time, at the edges of what they take. */

import { run } from './support.ts';

const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('casts', () => {
  const LENGTHS = [1, 63, 64, 65, 130];
  const special = [
    0.5,
    -0.5,
    -0,
    1.5,
    -1.5,
    2.5,
    -3.999,
    2 ** 31,
    -(2 ** 31) - 0.5,
    2 ** 32 + 0.5,
    2 ** 50 - 0.25,
    -(2 ** 50) + 0.25,
    2 ** 50,
    2 ** 51 + 0.5,
    2 ** 52 + 1,
    -(2 ** 53),
    2 ** 62,
    4503599627370495.5
  ];

  test.each(['int64', 'uint32'] as const)('of floats to %s truncate in every chunk', type => {
    const wrap = (x: bigint) => (type === 'int64' ? BigInt.asIntN(64, x) : Number(BigInt.asUintN(32, x)));
    for (const from of ['float32', 'float64'] as const) {
      const rounded = special.map(value => (from === 'float32' ? Math.fround(value) : value));
      for (const length of LENGTHS) {
        const small = counted(length).map(index => (index % 7) * 1.25 - 4);
        for (const value of rounded) {
          for (const at of [0, length - 1]) {
            const values = small.with(at, value);
            expect(run('cast', type, [from, values])).toEqual(values.map(x => wrap(BigInt(Math.trunc(x)))));
          }
        }
      }
      const least = wrap(-(2n ** 63n));
      expect(run('cast', type, [from, [NaN, Infinity, 1, -Infinity]])).toEqual([
        least,
        least,
        wrap(1n),
        least
      ]);
    }
  });

  test('of 64-bit integers to float64 round once', () => {
    const edges = [0n, 1n, 2n ** 32n - 1n, 2n ** 32n, 2n ** 53n - 1n, 2n ** 53n + 1n, 2n ** 53n + 3n];
    const large = [2n ** 62n + 2n ** 9n, 2n ** 62n + 2n ** 9n + 1n, 2n ** 63n - 1n, 2n ** 63n - 513n];
    const signed = [...edges, ...large].flatMap(value => [value, -value]).concat(-(2n ** 63n));
    expect(run('cast', 'float64', ['int64', signed])).toEqual(signed.map(value => Number(value) + 0));
    const unsigned = [...edges, ...large, 2n ** 63n, 2n ** 63n + 1025n, 2n ** 64n - 1n, 2n ** 64n - 1025n];
    expect(run('cast', 'float64', ['uint64', unsigned])).toEqual(unsigned.map(Number));
  });
});
