/** cuda.filter: the elements for which a condition holds. */

import { arange, ArgumentError, array, cuda, zeros } from '../../../../src/index.ts';
import { functionOf } from '../kernel-of.ts';

const sevenths = cuda.filter((a: number) => a % 7 === 0);

test.each([[0], [1], [7], [256], [257], [1000], [70_000]])('of %d elements', length => {
  const expected = Array.from({ length: Math.ceil(length / 7) }, (_, i) => i * 7);
  expect(sevenths(arange(length, { dtype: 'int32' })).toNested()).toEqual(expected);
});

test.each([
  ['none', (a: number) => a < 0, []],
  ['all', (a: number) => a >= 0, [0, 1, 2, 3, 4]],
  ['the first', (a: number) => a < 1, [0]],
  ['the last', (a: number) => a > 3, [4]]
] as const)('%s', (_, condition, expected) => {
  expect(
    cuda
      .filter(condition)(arange(5, { dtype: 'float32' }))
      .toNested()
  ).toEqual(expected);
});

test('strided arrays and several axes, in row-major order', () => {
  const x = arange(24, { dtype: 'int32' }).reshape(4, 6);
  const odd = cuda.filter((a: number) => (a & 1) === 1);
  expect(odd(x.T).toNested()).toEqual([1, 7, 13, 19, 3, 9, 15, 21, 5, 11, 17, 23]);
  expect(odd(x.slice('::-2', '1:4')).toNested()).toEqual([19, 21, 7, 9]);
});

test.each(['float16', 'uint8', 'float64', 'int16'] as const)('keeps %s', dtype => {
  const result = cuda.filter((a: number) => a > 2)(array([1, 2, 3, 4], { dtype }));
  expect([result.dtype.name, result.toNested()]).toEqual([dtype, [3, 4]]);
});

test('int64 and bool', () => {
  const wide = cuda.filter(functionOf(1, 'a => a > 5n'))(array([1n, 6n, 7n], { dtype: 'int64' }));
  expect(wide.toNested()).toEqual([6n, 7n]);
  const flags = cuda.filter(functionOf(1, 'a => !a'))(array([true, false, false]));
  expect(flags.toNested()).toEqual([false, false]);
});

test('a captured limit is read at each call', () => {
  let limit = 2;
  const captured = {
    get limit() {
      return limit;
    }
  };
  const above = cuda.filter(functionOf(1, '(a: f32) => a > limit', captured));
  const x = arange(5, { dtype: 'float32' });
  expect(above(x).toNested()).toEqual([3, 4]);
  limit = 3;
  expect(above(x).toNested()).toEqual([4]);
});

test('leaves NaN out where a comparison does', () => {
  const x = array([NaN, 1, -0, 0], { dtype: 'float32' });
  expect(
    cuda
      .filter((a: number) => a <= 0)(x)
      .toNested()
  ).toEqual([-0, 0]);
});

test.each([
  ['no function', () => cuda.filter(null as never), 'cuda.filter: expected a function'],
  [
    'a function of two',
    () => cuda.filter((a: number, b: number) => a > b),
    'a function of 1 element, not of 2'
  ],
  ['a number', () => cuda.filter((a: number) => a + 1)(zeros(2)), 'expected a condition such as a > 0'],
  [
    'a number of bools',
    () => cuda.filter(functionOf(1, 'a => a ? 1 : 0'))(zeros(2, { dtype: 'bool' })),
    'expected a condition'
  ]
])('%s is refused', (_, call, message) => {
  expect(call).toThrow(ArgumentError);
  expect(call).toThrow(message);
});
