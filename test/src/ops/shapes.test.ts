/** Shapes and layouts at their limits, and the errors of arithmetic. */

import {
  add,
  all,
  arange,
  argmax,
  ArgumentError,
  array,
  concatenate,
  cumsum,
  DTypeError,
  dtypes,
  empty,
  full,
  IndexError,
  less,
  matmul,
  max,
  mean,
  multiply,
  ones,
  pow,
  recordDType,
  ShapeError,
  sin,
  sqrt,
  stack,
  sum,
  take,
  ValueError,
  where,
  zeros,
  type NDArray
} from '../../../src/index.ts';

const device = 'sim:0';
const on = { device } as const;

describe('shapes', () => {
  test('without elements give no elements, and without axes one', () => {
    expect(add(zeros([0, 3], on), zeros([1, 3], on)).shape).toEqual([0, 3]);
    expect(add(zeros([4, 0], on), 1).toNested()).toEqual([[], [], [], []]);
    expect(sum(zeros([0], on)).item()).toBe(0);
    expect(all(zeros([0], on)).item()).toBe(true);
    expect(mean(zeros([0], on)).item()).toBeNaN();
    expect(max(zeros([0, 3], on), { axis: 1 }).shape).toEqual([0]);
    expect(() => max(zeros([0, 3], on), { axis: 0 })).toThrow(ValueError);
    expect(() => argmax(zeros([0], on))).toThrow(ValueError);
    expect(cumsum(zeros([2, 0], on), { axis: 1 }).shape).toEqual([2, 0]);
    expect(matmul(zeros([2, 0], on), zeros([0, 2], on)).toNested()).toEqual([
      [0, 0],
      [0, 0]
    ]);
    const point = array(3, on);
    expect(point.add(point).item()).toBe(6);
    expect(sum(point).shape).toEqual([]);
    expect(max(point, { axis: [] }).item()).toBe(3);
    expect(argmax(point).item()).toBe(0n);
    expect(() => sum(point, { axis: 0 })).toThrow(IndexError);
    expect(() => matmul(point, point)).toThrow(ShapeError);
  });

  test('of 20 axes work, reduced and broadcast', () => {
    const shape = Array.from({ length: 20 }, (_, axis) => (axis % 3 === 0 ? 2 : 1));
    const a = arange(2 ** 7, on).reshape(...shape);
    const turned = a.transpose(...shape.keys().map(axis => 19 - axis));
    expect(turned.add(turned).sum().item()).toBe(127 * 128);
    expect(sum(a, { axis: [0, 3, 6] }).shape).toHaveLength(17);
    expect(sum(a, { axis: [0, 3, 6] }).item(...new Array<number>(17).fill(0))).toBe(
      [0, 16, 32, 48, 64, 80, 96, 112].reduce((total, each) => total + each)
    );
    expect(add(a, arange(2, on)).shape).toEqual([...shape.slice(0, 19), 2]);
  });

  test('that do not broadcast are named', () => {
    expect(() => add(zeros([2, 3], on), zeros([2, 4], on))).toThrow(/\(2, 3\) and \(2, 4\)/);
    expect(() => add(zeros([2, 3], on), zeros([2, 4], on))).toThrow(ShapeError);
    expect(() => where(zeros([2], on), zeros([3], on), 1)).toThrow(ShapeError);
  });

  test('strides of any sign and size, and repeated axes, are read', () => {
    const a = arange(24, on).reshape(2, 3, 4);
    const odd = a.slice('::-1', '::2', '::-3').transpose(2, 0, 1);
    expect(odd.add(0).toNested()).toEqual(odd.toNested());
    expect(odd.sum().item()).toBe(
      (odd.toTypedArray() as Float64Array).reduce((total, each) => total + each, 0)
    );
    const repeated = arange(4, on).broadcastTo([1000, 4]);
    expect(repeated.sum({ axis: 0 }).toNested()).toEqual([0, 1000, 2000, 3000]);
    expect(repeated.multiply(repeated).max().item()).toBe(9);
    const out = zeros([4, 3, 2], on);
    add(a.T, 0, { out: out.slice('::-1') });
    expect(out.toNested()).toEqual(a.T.slice('::-1').toNested());
  });

  test('read-only arrays are accepted as operands', () => {
    const a = arange(4, on).asReadOnly();
    expect(a.add(a).toNested()).toEqual([0, 2, 4, 6]);
    expect(matmul(a, a).item()).toBe(14);
    expect(a.add(1).readOnly).toBe(false);
  });

  test('axes must exist and be named once', () => {
    const a = zeros([2, 3], on);
    expect(() => sum(a, { axis: [0, -2] })).toThrow(/at most once/);
    expect(() => sum(a, { axis: 2 })).toThrow(IndexError);
    expect(() => sum(a, { axis: 0.5 })).toThrow(IndexError);
    expect(() => cumsum(a)).toThrow(ValueError);
    expect(() => take(a, array([0n], on))).toThrow(IndexError);
    expect(() => take(a, array([2n], on), { axis: 0 })).toThrow(/position 2 is outside/);
    expect(() => take(a, array([0.5], on), { axis: 0 })).toThrow(DTypeError);
    expect(() => stack([])).toThrow(ValueError);
    expect(() => concatenate([a, zeros([2, 3, 1], on)])).toThrow(ShapeError);
  });
});

describe('dtypes that arithmetic refuses', () => {
  test.each([
    'int4',
    'uint4',
    'float4_e2m1fn',
    'float6_e2m3fn',
    'bytes4',
    'str2',
    'datetime64[s]',
    'int8_x2'
  ])('%s', name => {
    const a = empty(2, { device, dtype: name });
    for (const call of [
      (): unknown => add(a, a),
      (): unknown => sin(a),
      (): unknown => sum(a),
      (): unknown => matmul(a, a),
      (): unknown => a.astype('float32'),
      (): unknown => zeros(2, on).astype(name),
      (): unknown => concatenate([a, a]),
      (): unknown => argmax(a),
      (): unknown => a.equal(1)
    ]) {
      expect(call).toThrow(DTypeError);
    }
  });

  test('records suggest their fields, dates their integers', () => {
    const record = empty(2, { device, dtype: recordDType([['x', '<f4']]) });
    expect(() => add(record, 1)).toThrow(/take one of its fields/);
    expect(() => add(empty(2, { device, dtype: 'timedelta64[s]' }), 1)).toThrow(/int64/);
  });

  test('functions without a meaning for a type are refused with the reason', () => {
    const [whole, flag, complex] = [arange(3n, on), full(3, true, on), full(3, { re: 1, im: 2 }, on)];
    expect(() => less(complex, complex)).toThrow(/not defined for complex128/);
    expect(() => max(complex)).toThrow(/no order/);
    expect(() => flag.subtract(flag)).toThrow(/logicalXor/);
    expect(() => flag.negative()).toThrow(/logicalNot/);
    expect(() => pow(whole, -1)).toThrow(/float first/);
    expect(pow(whole.astype('float64'), 2).toNested()).toEqual([0, 1, 4]);
    expect(() => whole.add(2n ** 63n)).toThrow(ValueError);
    expect(() => whole.astype('uint8').add(-1)).toThrow(ValueError);
  });

  test('operands that are neither arrays nor values are refused', () => {
    const a = zeros(2, on);
    for (const odd of [undefined, null, '1', {}, [1, 2], () => 1, Symbol.iterator]) {
      expect(() => add(a, odd as number)).toThrow(ArgumentError);
    }
    expect(() => add(1 as unknown as NDArray, 2)).toThrow(/at least one operand must be an array/);
    expect(() => sqrt(4 as unknown as NDArray)).toThrow(ArgumentError);
  });
});

describe('values in a program', () => {
  test('change between calls, and 0 is not -0', () => {
    const a = ones(1, { device, dtype: 'float32' });
    const results: unknown[] = [];
    for (const value of [0, -0, 1, true, 1n, 0, -0, 2.5]) results.push(multiply(a, value).item());
    expect(results).toEqual([0, -0, 1, 1, 1, 0, -0, 2.5]);
  });

  test('are cached by the hundred without mixing up', () => {
    const a = ones(2, { device, dtype: 'float64' });
    for (let round = 0; round < 2; round++) {
      for (let value = 0; value < 300; value++) expect(a.add(value).item(1)).toBe(value + 1);
    }
    expect(array([1], { device, dtype: 'int8' }).add(100).dtype).toBe(dtypes.int8);
    expect(array([1], { device, dtype: 'int8' }).add(100.5).dtype).toBe(dtypes.float64);
  });
});

test('a mask is dropped: arithmetic uses the bytes', () => {
  const a = arange(3, on).withMask(array([true, false, true], on));
  const result = a.add(1);
  expect(result.mask).toBeNull();
  expect(result.toNested()).toEqual([1, 2, 3]);
  expect(sum(a).item()).toBe(3);
});
