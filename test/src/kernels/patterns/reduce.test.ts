/** cuda.reduce: functions of two elements along axes. */

import {
  arange,
  ArgumentError,
  array,
  cuda,
  ones,
  ValueError,
  zeros,
  type NDArray
} from '../../../../src/index.ts';
import { functionOf } from '../kernel-of.ts';

const total = cuda.reduce((a: number, b: number) => a + b);
const most = cuda.reduce((a: number, b: number) => Math.max(a, b));
const started = cuda.reduce((a: number, b: number) => a + b, 100);
const ints = (...shape: number[]): NDArray =>
  arange(
    shape.reduce((size, length) => size * length, 1),
    { dtype: 'int32' }
  ).reshape(...shape);

test.each([
  ['all axes', {}],
  ['the first axis', { axis: 0 }],
  ['the last axis', { axis: -1 }],
  ['the middle axis', { axis: 1 }],
  ['two axes', { axis: [0, 2] }],
  ['the first two', { axis: [0, 1] }],
  ['all by number', { axis: [0, 1, 2] }],
  ['with kept axes', { axis: 1, keepDims: true }],
  ['all with kept axes', { keepDims: true }]
])('%s', (_, options) => {
  const x = ints(3, 4, 5);
  const expected = x.sum(options);
  const found = total(x, options);
  expect([found.shape, found.toNested()]).toEqual(
    [expected.shape, array(expected.toNested() as number, { dtype: 'float64' }).toNested()].map(
      (each, index) =>
        index === 1
          ? (JSON.parse(
              JSON.stringify(expected.toNested(), (_key, value: unknown) =>
                typeof value === 'bigint' ? Number(value) : value
              )
            ) as unknown)
          : each
    )
  );
});

test.each([[1], [2], [31], [64], [65], [255], [256], [257], [1000], [8192], [8193], [100_000], [1_000_003]])(
  'rows of %d',
  length => {
    const x = ints(length).reshape(1, length);
    expect(most(x, { axis: 1 }).toNested()).toEqual([length - 1]);
    expect(total(ones([2, length], { dtype: 'int32' }), { axis: 1 }).toNested()).toEqual([length, length]);
  }
);

test.each([
  [5000, 3, 1],
  [5000, 70, 1],
  [3, 5000, 0],
  [100, 5000, 0]
])('many rows: shape (%d, %d), axis %d', (rows, columns, axis) => {
  const x = ints(rows, columns);
  expect(most(x, { axis }).toNested()).toEqual(x.max({ axis }).toNested());
});

test('long rows of strided arrays', () => {
  const x = ints(2, 40_000);
  expect(most(x.slice(null, '::-2'), { axis: 1 }).toNested()).toEqual([39_999, 79_999]);
  expect(most(x.T, { axis: 0 }).toNested()).toEqual([39_999, 79_999]);
});

test.each([
  ['int32', [1, 2, -4], 'int32', -1],
  ['uint8', [200, 50, 10], 'uint8', 4],
  ['int16', [32_767, 1], 'int16', -32_768],
  ['float16', [0.5, 1.25, 2], 'float16', 3.75],
  ['bfloat16', [0.5, 1.25, 2], 'bfloat16', 3.75],
  ['float64', [0.1, 0.2], 'float64', 0.1 + 0.2],
  ['int64', [2n ** 60n, 1n], 'int64', 2n ** 60n + 1n]
] as const)('%s', (dtype, values, expected, sum) => {
  const result = total(array(values as unknown as number[], { dtype }));
  expect([result.dtype.name, result.item()]).toEqual([expected, sum]);
});

test('narrow floats are added as f32, and rounded at the end', () => {
  const x = ones(100_000, { dtype: 'float16' });
  const scaled = cuda.map((a: number) => a * 0.25)(x);
  expect(total(scaled).item()).toBe(24_992);
});

test('bool', () => {
  const x = array([
    [true, false],
    [true, true]
  ]);
  const all = cuda.reduce(functionOf(2, '(a, b) => a && b'));
  const any = cuda.reduce(functionOf(2, '(a, b) => a || b'));
  expect([all(x, { axis: 1 }).toNested(), any(x).item(), all(x).dtype.name]).toEqual([
    [false, true],
    true,
    'bool'
  ]);
});

describe('an initial value', () => {
  test('joins each result once', () => {
    expect(started(ints(4)).item()).toBe(106);
    expect(started(ones([3, 200], { dtype: 'int32' }), { axis: 1 }).toNested()).toEqual([300, 300, 300]);
    expect(started(ones([100_000], { dtype: 'int32' })).item()).toBe(100_100);
  });

  test('is the result of no elements', () => {
    expect(started(zeros(0, { dtype: 'int32' })).item()).toBe(100);
    expect(started(zeros([3, 0], { dtype: 'int32' }), { axis: 1 }).toNested()).toEqual([100, 100, 100]);
    expect(started(zeros([0, 3], { dtype: 'float32' }), { axis: 1 }).shape).toEqual([0]);
    expect(total(zeros([0, 3], { dtype: 'float32' }), { axis: 1 }).shape).toEqual([0]);
  });

  test('is needed without elements', () => {
    expect(() => total(zeros(0, { dtype: 'int32' }))).toThrow(ValueError);
    expect(() => total(zeros([3, 0], { dtype: 'int32' }), { axis: 1 })).toThrow('no initial value');
  });

  test.each([
    [-0.5, 5.5],
    [-Infinity, -Infinity],
    [1e-7, 1e-7 + 6]
  ])('may be %p', (initial, expected) => {
    expect(
      cuda
        .reduce(
          (a: number, b: number) => a + b,
          initial
        )(array([1, 2, 3]))
        .item()
    ).toBe(expected);
  });

  test('may be a boolean', () => {
    const any = cuda.reduce(functionOf(2, '(a, b) => a || b'), false);
    expect([any(zeros(0, { dtype: 'bool' })).item(), any(ones(3, { dtype: 'bool' })).item()]).toEqual([
      false,
      true
    ]);
  });

  test.each([
    ['a text', 'a', 'float32', 'the initial value is "a", expected a number, because results are float32'],
    ['a bigint for floats', 0n, 'float32', 'the initial value is 0n, expected a number'],
    [
      'a number for bigints',
      0,
      'int64',
      'the initial value is 0, expected a bigint, because results are int64'
    ],
    ['a fraction for integers', 1.5, 'int32', 'the initial value is 1.5, expected a whole number'],
    ['a number for booleans', 0, 'bool', 'the initial value is 0, expected a boolean']
  ] as const)('%s is refused', (_, initial, dtype, message) => {
    const reduction = cuda.reduce(functionOf(2, '(a, b) => b'), initial as number);
    expect(() => reduction(zeros(3, { dtype }))).toThrow(ArgumentError);
    expect(() => reduction(zeros(3, { dtype }))).toThrow(message);
  });

  test('may be a bigint', () => {
    const x = array([1n, 2n], { dtype: 'int64' });
    expect(
      cuda
        .reduce(
          (a: number, b: number) => a + b,
          -5n
        )(x)
        .item()
    ).toBe(-2n);
  });
});

test('out takes the result', () => {
  const out = zeros(3, { dtype: 'int32' });
  expect(total(ints(3, 4), { axis: 1, out })).toBe(out);
  expect(out.toNested()).toEqual([6, 22, 38]);
});

test('an array without axes', () => {
  expect(total(array(5, { dtype: 'float32' })).item()).toBe(5);
});

test.each([
  ['no function', () => cuda.reduce(5 as never), 'cuda.reduce: expected a function, not 5'],
  [
    'a function of one element',
    () => cuda.reduce((a: number) => a),
    'expected a function of 2 elements, not of 1'
  ],
  ['complex numbers', () => total(zeros(2, { dtype: 'complex64' })), 'kernels in TypeScript work on']
])('%s is refused', (_, call, message) => {
  expect(call).toThrow(ArgumentError);
  expect(call).toThrow(message);
});
