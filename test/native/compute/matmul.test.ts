import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { block, errorOf } from '../support.ts';
import { encode, get, itemsize, on, put, typeNumber, type Value, compute } from './support.ts';

const numbers = (count: number, most: number): number[] =>
  Array.from({ length: count }, (_, index) => ((index * 7919) % (2 * most + 1)) - most);

function multiply(
  type: ElementTypeName,
  m: number,
  n: number,
  k: number,
  a: readonly Value[],
  b: readonly Value[]
): Value[] {
  const size = itemsize(type);
  const [out, left, right] = [block(m * n * size), put(encode(type, a)), put(encode(type, b))];
  const layout = Float64Array.of(0, m, n, k, 0, n * size, size, 0, k * size, size, 0, n * size, size);
  compute.matmul(on(), typeNumber(type), layout, [out, left, right]);
  const values = get(out, type, m * n);
  for (const storage of [out, left, right]) storage.release();
  return values;
}

function product(m: number, n: number, k: number, a: readonly number[], b: readonly number[]): number[] {
  return Array.from({ length: m * n }, (_, index) => {
    const [i, j] = [Math.floor(index / n), index % n];
    let sum = 0;
    for (let p = 0; p < k; p++) sum += (a[i * k + p] as number) * (b[p * n + j] as number);
    return sum;
  });
}

const SIZES = [
  [1, 1, 1],
  [3, 5, 7],
  [1, 33, 300],
  [100, 1, 513],
  [97, 129, 257],
  [13, 600, 40]
] as const;

test.each(['float32', 'float64', 'int32', 'int16'] as const)(
  'of %s is exact on small whole numbers',
  type => {
    for (const [m, n, k] of SIZES) {
      const [a, b] = [numbers(m * k, 5), numbers(k * n, 7)];
      expect(multiply(type, m, n, k, a, b)).toEqual(product(m, n, k, a, b).map(value => value + 0));
    }
  }
);

test('integers wrap to their width', () => {
  expect(multiply('int8', 1, 1, 2, [100, 100], [2, 1])).toEqual([44]);
  expect(multiply('uint8', 1, 1, 2, [200, 100], [2, 1])).toEqual([244]);
  expect(multiply('int64', 1, 1, 2, [2n ** 62n, -1n], [2n, 3n])).toEqual([-(2n ** 63n) - 3n + 2n ** 64n]);
  expect(multiply('uint64', 1, 1, 1, [2n ** 63n + 1n], [3n])).toEqual([2n ** 63n + 3n]);
  expect(multiply('uint32', 1, 1, 1, [4294967295], [2])).toEqual([4294967294]);
});

test('bool products are any of all', () => {
  const [f, t] = [false, true];
  expect(multiply('bool', 2, 2, 2, [t, f, f, f], [f, t, t, t])).toEqual([f, t, f, f]);
  expect(multiply('bool', 1, 1, 512, Array<boolean>(512).fill(t), Array<boolean>(512).fill(t))).toEqual([t]);
});

test.each(['float16', 'bfloat16', 'float8_e4m3fn', 'float8_e5m2'] as const)('%s sums in float32', type => {
  // 300 terms of 1: accumulating in a small float would stop at 16 or 256.
  const ones = Array<number>(300).fill(1);
  const [sum] = multiply(type, 1, 1, 300, ones, ones) as [number];
  expect(Math.abs(sum - 300)).toBeLessThanOrEqual(type === 'float16' ? 0 : 20);
  expect(multiply(type, 2, 2, 2, [1, 2, 3, 4], [1, 0, 0.5, 2])).toEqual([2, 4, 5, 8]);
});

test.each(['complex64', 'complex128'] as const)('%s', type => {
  for (const [m, n, k] of SIZES.slice(0, 5)) {
    const [ar, ai, br, bi] = [numbers(m * k, 3), numbers(m * k, 4), numbers(k * n, 5), numbers(k * n, 2)];
    const zip = (re: number[], im: number[]) =>
      re.map((value, index) => ({ re: value, im: im[index] as number }));
    const part = (x: number[], y: number[]) => product(m, n, k, x, y);
    const [rr, ii, ri, ir] = [part(ar, br), part(ai, bi), part(ar, bi), part(ai, br)];
    const expected = rr.map((value, index) => ({
      re: value - (ii[index] as number) + 0,
      im: (ri[index] as number) + (ir[index] as number) + 0
    }));
    expect(multiply(type, m, n, k, zip(ar, ai), zip(br, bi))).toEqual(expected);
  }
});

test('stacks, transposes, reversed rows and a result with gaps are multiplied', () => {
  const [m, n, k] = [20, 30, 40];
  const [a, b] = [numbers(2 * m * k, 5), numbers(k * n, 5)];
  const [left, right, out] = [put(encode('float32', a)), put(encode('float32', b)), block(4 * 2 * m * n * 2)];
  // a is stored transposed, the batch shares b with its rows reversed, the result is every other column of its memory.
  const layout = [
    1,
    2,
    m,
    n,
    k,
    0,
    8 * m * n,
    8 * n,
    8,
    0,
    4 * m * k,
    4,
    4 * m,
    4 * n * (k - 1),
    0,
    -4 * n,
    4
  ];
  compute.matmul(on(), typeNumber('float32'), Float64Array.from(layout), [out, left, right]);
  const got = get(out, 'float32', 4 * m * n).filter((_, index) => index % 2 === 0);
  const reversed = b.map((_, index) => b[(k - 1 - Math.floor(index / n)) * n + (index % n)] as number);
  const expected = [0, 1].flatMap(batch => {
    const plain = Array.from(
      { length: m * k },
      (_, index) => a[batch * m * k + (index % k) * m + Math.floor(index / k)] as number
    );
    return product(m, n, k, plain, reversed);
  });
  expect(got).toEqual(expected);
});

test('zero depth gives zeros, zero rows an empty result; NaN and infinity propagate', () => {
  const out = put(encode('float32', [9]));
  compute.matmul(on(), typeNumber('float32'), Float64Array.of(0, 1, 1, 0, 0, 4, 4, 0, 4, 4, 0, 4, 4), [
    out,
    block(0),
    block(0)
  ]);
  expect(get(out, 'float32', 1)).toEqual([0]);
  const before = on().sequence;
  compute.matmul(on(), typeNumber('float32'), Float64Array.of(0, 0, 1, 1, 0, 4, 4, 0, 4, 4, 0, 4, 4), [
    block(0),
    block(0),
    out
  ]);
  expect(on().sequence).toBe(before);
  expect(multiply('float32', 1, 2, 2, [NaN, 1], [0, 1, 2, 3])).toEqual([NaN, NaN]);
  expect(multiply('float64', 1, 1, 1, [Infinity], [0])).toEqual([NaN]);
});

test('refusals', () => {
  const [out, a, b] = [block(16), block(16), block(16)];
  const kind = (layout: number[]) =>
    errorOf(() => compute.matmul(on(), typeNumber('float32'), Float64Array.from(layout), [out, a, b])).kind;
  expect(kind([0, 2, 2, 3, 0, 8, 4, 0, 12, 4, 0, 8, 4])).toBe('bounds');
  expect(kind([0, 2, 2, 2, 0, 0, 4, 0, 8, 4, 0, 8, 4])).toBe('argument');
  expect(kind([31])).toBe('argument');
  expect(kind([0, 2, 2, 2, 0, 8, 4, 0, 8, 4, 0, 8])).toBe('argument');
});
