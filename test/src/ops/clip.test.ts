/** Properties of `clip` that the comparison with NumPy does not cover: missing bounds, and `out`. */

import { array, clip, ArgumentError, DTypeError, ValueError } from '../../../src/index.ts';

const on = { device: 'sim:0' } as const;
const x = array([-300, -1, 0, 7, 300], { ...on, dtype: 'int16' });

test('a bound can be missing', () => {
  expect(clip(x, 0).toNested()).toEqual([0, 0, 0, 7, 300]);
  expect(clip(x, null, 0).toNested()).toEqual([-300, -1, 0, 0, 0]);
  const copy = clip(x, null, null);
  expect(copy.toNested()).toEqual(x.toNested());
  expect(copy.storage).not.toBe(x.storage);
  expect(clip(x, null).toNested()).toEqual(x.toNested());
});

test('an integer beyond the range of the type limits nothing, and a bound within it must fit', () => {
  expect(clip(x, -(2 ** 40), 2n ** 70n).toNested()).toEqual(x.toNested());
  expect(clip(x, -(2 ** 40), 7).dtype.name).toBe('int16');
  expect(() => clip(x, 2 ** 40, null)).toThrow(ValueError);
});

test('it can write to out, in place too', () => {
  const target = x.copy();
  expect(clip(target, -1, 7, { out: target })).toBe(target);
  expect(target.toNested()).toEqual([-1, -1, 0, 7, 7]);
});

test('empty and zero-dimensional arrays, and broadcasting, are supported', () => {
  expect(clip(array([], on), 0, 1).toNested()).toEqual([]);
  expect(clip(array(3, on), 0, 1).toNested()).toBe(1);
  const rows = array([[0], [5]], { ...on, dtype: 'int16' });
  expect(clip(x, rows, 6).toNested()).toEqual([
    [0, 0, 0, 6, 6],
    [5, 5, 5, 6, 6]
  ]);
});

test('complex numbers have no order, and one operand must be an array', () => {
  expect(() => clip(array([1], { ...on, dtype: 'complex64' }), 0, 1)).toThrow(DTypeError);
  expect(() => clip(x, '1', 2)).toThrow(ArgumentError);
  expect(() => clip(1 as never, 0, 2)).toThrow(ArgumentError);
});
