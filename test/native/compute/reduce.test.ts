import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { block, errorOf } from '../support.ts';
import { encode, get, itemsize, on, plain, put, typeNumber, type Value, compute } from './support.ts';

type Operation = Parameters<typeof compute.reduce>[1];

/** Reduces the axes `axes` of a row-major array. */
function reduce(
  operation: Operation,
  [from, to]: readonly [ElementTypeName, ElementTypeName],
  shape: readonly number[],
  axes: readonly number[],
  values: readonly Value[]
): Value[] {
  const strides = plain(shape, itemsize(from));
  const kept = [...shape.keys()].filter(axis => !axes.includes(axis));
  const lengths = (list: readonly number[]): number[] => list.map(axis => shape[axis] as number);
  const count = lengths(kept).reduce((x, y) => x * y, 1);
  const [out, input] = [block(count * itemsize(to)), put(encode(from, values))];
  const order = [...kept, ...axes].map(axis => strides[axis] as number);
  const layout = [
    kept.length,
    ...lengths(kept),
    axes.length,
    ...lengths(axes),
    0,
    ...plain(lengths(kept), itemsize(to)),
    0,
    ...order
  ];
  compute.reduce(on(), operation, typeNumber(from), typeNumber(to), Float64Array.from(layout), [out, input]);
  const result = get(out, to, count);
  out.release();
  input.release();
  return result;
}

const numbers = (count: number, rule = (index: number): number => (index * 37) % 101): number[] =>
  Array.from({ length: count }, (_, index) => rule(index));

describe.each([
  ['rows', [7, 300], [1]],
  ['columns', [300, 7], [0]],
  ['long columns', [9, 5000], [0]],
  ['all', [3, 50, 41], [0, 1, 2]],
  ['the middle', [4, 30, 5], [1]],
  ['the ends', [6, 11, 9], [0, 2]],
  ['the ends the other way round', [6, 11, 9], [2, 0]],
  ['long rows', [2, 10001], [1]],
  ['nothing', [3, 4], []]
] as const)('over %s', (_, shape, axes) => {
  const count = shape.reduce((x: number, y) => x * y, 1);
  const values = numbers(count);
  /** The elements that each result combines, in the order of `axes`. */
  const groups = (): number[][] => {
    const strides = plain(shape, 1);
    const made = new Map<string, [number, number][]>();
    for (let n = 0; n < count; n++) {
      const index = shape.map((length, axis) => Math.floor(n / (strides[axis] as number)) % length);
      const key = index.filter((__, axis) => !(axes as readonly number[]).includes(axis)).join();
      const place = axes.reduce(
        (sum: number, axis) => sum * (shape[axis] as number) + (index[axis] as number),
        0
      );
      const group = made.get(key) ?? [];
      group.push([place, values[n] as number]);
      made.set(key, group);
    }
    return [...made.values()].map(group => group.sort(([x], [y]) => x - y).map(([, value]) => value));
  };
  const expected = groups();

  test.each(['int32', 'float32', 'float64', 'uint8', 'float16', 'float8_e5m2'] as const)('of %s', type => {
    // Values that each of the types can hold.
    const small = values.map(value => value % 8);
    const grouped = expected.map(group => group.map(value => value % 8));
    expect(reduce('sum', [type, 'float64'], shape, axes, small)).toEqual(
      grouped.map(group => group.reduce((x, y) => x + y, 0))
    );
    expect(reduce('min', [type, type], shape, axes, small)).toEqual(grouped.map(group => Math.min(...group)));
    expect(reduce('max', [type, type], shape, axes, small)).toEqual(grouped.map(group => Math.max(...group)));
    expect(reduce('any', [type, 'bool'], shape, axes, small)).toEqual(
      grouped.map(group => group.some(value => value !== 0))
    );
    expect(reduce('all', [type, 'bool'], shape, axes, small)).toEqual(
      grouped.map(group => group.every(value => value !== 0))
    );
    expect(reduce('argmin', [type, 'int64'], shape, axes, small)).toEqual(
      grouped.map(group => BigInt(group.indexOf(Math.min(...group))))
    );
    expect(reduce('argmax', [type, 'int64'], shape, axes, small)).toEqual(
      grouped.map(group => BigInt(group.indexOf(Math.max(...group))))
    );
  });

  test('products wrap', () => {
    const odd = values.map(value => 2 * value + 1);
    const product = expected.map(group =>
      group.reduce((x, y) => BigInt.asUintN(64, x * BigInt(2 * y + 1)), 1n)
    );
    expect(reduce('prod', ['uint8', 'uint64'], shape, axes, odd)).toEqual(product);
    expect(reduce('prod', ['int32', 'int16'], shape, axes, odd)).toEqual(
      product.map(value => Number(BigInt.asIntN(16, value)))
    );
  });
});

describe('sums', () => {
  test('of many float32 are as accurate as pairwise sums', () => {
    const [sum] = reduce(
      'sum',
      ['float32', 'float32'],
      [2 ** 20],
      [0],
      numbers(2 ** 20, () => 0.1)
    ) as [number];
    expect(Math.abs(sum / (Math.fround(0.1) * 2 ** 20) - 1)).toBeLessThan(2e-7);
  });
  test('of small floats are rounded once', () => {
    expect(
      reduce(
        'sum',
        ['float16', 'float16'],
        [4096],
        [0],
        numbers(4096, () => 1)
      )
    ).toEqual([4096]);
    expect(
      reduce(
        'sum',
        ['bfloat16', 'float32'],
        [1000],
        [0],
        numbers(1000, () => 1)
      )
    ).toEqual([1000]);
  });
  test('of complex numbers, booleans and nothing are right', () => {
    const values = numbers(10).map(value => ({ re: value, im: -value }));
    const total = numbers(10).reduce((x, y) => x + y, 0);
    expect(reduce('sum', ['complex64', 'complex128'], [10], [0], values)).toEqual([
      { re: total, im: -total }
    ]);
    expect(
      reduce(
        'prod',
        ['complex64', 'complex64'],
        [2],
        [0],
        [
          { re: 1, im: 2 },
          { re: 3, im: -1 }
        ]
      )
    ).toEqual([{ re: 5, im: 5 }]);
    expect(reduce('sum', ['bool', 'int64'], [3], [0], [true, false, true])).toEqual([2n]);
    expect(reduce('sum', ['float32', 'float32'], [2, 0], [1], [])).toEqual([0, 0]);
    expect(reduce('prod', ['int8', 'int64'], [0], [0], [])).toEqual([1n]);
    expect(reduce('all', ['int8', 'bool'], [0], [0], [])).toEqual([true]);
    expect(reduce('any', ['float32', 'bool'], [0], [0], [])).toEqual([false]);
    expect(
      reduce(
        'any',
        ['complex64', 'bool'],
        [2],
        [0],
        [
          { re: 0, im: 0 },
          { re: 0, im: 1 }
        ]
      )
    ).toEqual([true]);
  });
});

test('NaN is the minimum and the maximum, and its first position is found', () => {
  const values = numbers(9000);
  values[8000] = values[8500] = NaN;
  for (const type of ['float32', 'float64', 'bfloat16'] as const) {
    expect(reduce('min', [type, type], [9000], [0], values)).toEqual([NaN]);
    expect(reduce('max', [type, type], [9000], [0], values)).toEqual([NaN]);
    expect(reduce('argmin', [type, 'int64'], [9000], [0], values)).toEqual([8000n]);
    expect(reduce('argmax', [type, 'int64'], [9000], [0], values)).toEqual([8000n]);
  }
  expect(reduce('max', ['float32', 'float32'], [2], [0], [-Infinity, -Infinity])).toEqual([-Infinity]);
  expect(reduce('argmax', ['int64', 'int64'], [3], [0], [-(2n ** 63n), -(2n ** 63n), -(2n ** 63n)])).toEqual([
    0n
  ]);
});

test('strides of every sign and results with gaps are reduced', () => {
  const input = put(encode('int16', numbers(12)));
  const out = block(16);
  out.fill(0, 1, 0xff, 16, on());
  // Column sums of the reversed 3 by 4 matrix, into every other int32 of the result.
  const layout = Float64Array.of(1, 4, 1, 3, 12, -4, 22, -2, -8);
  compute.reduce(on(), 'sum', typeNumber('int16'), typeNumber('int32'), layout, [out, input]);
  const matrix = numbers(12);
  const sums = numbers(4, column =>
    [0, 4, 8].reduce((sum, row) => sum + (matrix[row + column] as number), 0)
  );
  expect(get(out, 'int32', 4)).toEqual(sums);
});

describe('cumulate', () => {
  const cumulate = (
    operation: 'sum' | 'prod' | 'min' | 'max',
    [from, to]: readonly [ElementTypeName, ElementTypeName],
    shape: readonly number[],
    axis: number,
    values: readonly Value[]
  ): Value[] => {
    const [out, input] = [block(values.length * itemsize(to)), put(encode(from, values))];
    const layout = [
      shape.length,
      ...shape,
      axis,
      0,
      ...plain(shape, itemsize(to)),
      0,
      ...plain(shape, itemsize(from))
    ];
    compute.cumulate(on(), operation, typeNumber(from), typeNumber(to), Float64Array.from(layout), [
      out,
      input
    ]);
    return get(out, to, values.length);
  };
  const rules = {
    sum: (x: number, y: number) => x + y,
    prod: (x: number, y: number) => Math.imul(x, y) | 0,
    min: Math.min,
    max: Math.max
  };
  test.each([
    [[5000], 0],
    [[3, 40], 1],
    [[40, 3], 0],
    [[40, 300], 0],
    [[2, 30, 9], 1],
    [[2, 9, 30], 0]
  ])('of %p along %p', (shape, axis) => {
    const count = shape.reduce((x, y) => x * y, 1);
    const values = numbers(count, index => ((index * 37) % 11) - 5);
    const step = shape.slice(axis + 1).reduce((x, y) => x * y, 1);
    for (const [operation, rule] of Object.entries(rules) as [
      keyof typeof rules,
      (x: number, y: number) => number
    ][]) {
      const expected = [...values];
      for (let n = 0; n < count; n++)
        if (Math.floor(n / step) % (shape[axis] as number) !== 0)
          expected[n] = rule(expected[n - step] as number, values[n] as number);
      expect([operation, cumulate(operation, ['int8', 'int32'], shape, axis, values)]).toEqual([
        operation,
        expected
      ]);
    }
  });

  test('propagates NaN, sums small floats in float32, and handles complex numbers and booleans', () => {
    expect(cumulate('max', ['float32', 'float32'], [4], 0, [1, NaN, 3, 2])).toEqual([1, NaN, NaN, NaN]);
    expect(cumulate('sum', ['float16', 'float16'], [3], 0, [2048, 1, 1])).toEqual([2048, 2048, 2050]);
    expect(
      cumulate('sum', ['complex64', 'complex64'], [2], 0, [
        { re: 1, im: 2 },
        { re: 3, im: 4 }
      ])
    ).toEqual([
      { re: 1, im: 2 },
      { re: 4, im: 6 }
    ]);
    expect(cumulate('max', ['bool', 'bool'], [3], 0, [false, true, false])).toEqual([false, true, true]);
  });

  test('works in place', () => {
    const both = put(
      encode(
        'int32',
        numbers(6000, () => 1)
      )
    );
    const layout = Float64Array.of(1, 6000, 0, 0, 4, 0, 4);
    compute.cumulate(on(), 'sum', typeNumber('int32'), typeNumber('int32'), layout, [both, both]);
    expect(get(both, 'int32', 6000)).toEqual(numbers(6000, index => index + 1));
  });
});

test('refusals', () => {
  const [out, input] = [block(64), block(64)];
  const [F32, I64, C64] = [typeNumber('float32'), typeNumber('int64'), typeNumber('complex64')];
  const kind = (operation: string, from: number, to: number, layout: number[]) =>
    errorOf(() => compute.reduce(on(), operation as 'sum', from, to, Float64Array.from(layout), [out, input]))
      .kind;
  expect(kind('mean', F32, F32, [0, 1, 4, 0, 0, 4])).toBe('argument');
  expect(kind('sum', 23, F32, [0, 1, 4, 0, 0, 4])).toBe('argument');
  expect(kind('sum', F32, F32, [0, 1, 17, 0, 0, 4])).toBe('bounds');
  expect(kind('any', F32, F32, [0, 1, 4, 0, 0, 4])).toBe('argument');
  expect(kind('min', C64, C64, [0, 1, 4, 0, 0, 8])).toBe('argument');
  expect(kind('argmin', F32, F32, [0, 1, 4, 0, 0, 4])).toBe('argument');
  expect(kind('argmin', F32, I64, [0, 1, 0, 0, 0, 4])).toBe('argument');
  expect(kind('sum', F32, F32, [20, ...Array<number>(20).fill(1), 13, ...Array<number>(90).fill(1)])).toBe(
    'argument'
  );
  const cumulate = (layout: number[]) =>
    errorOf(() => compute.cumulate(on(), 'sum', F32, F32, Float64Array.from(layout), [out, input])).kind;
  expect(cumulate([0, 0, 0])).toBe('argument');
  expect(cumulate([1, 4, 1, 0, 4, 0, 4])).toBe('argument');
  expect(
    errorOf(() =>
      compute.cumulate(on(), 'any' as 'sum', F32, F32, Float64Array.of(1, 4, 0, 0, 4, 0, 4), [out, input])
    ).kind
  ).toBe('argument');
});
