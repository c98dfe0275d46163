/** cuda.map: functions of elements over arrays. */

import {
  arange,
  ArgumentError,
  array,
  cuda,
  KernelError,
  ReadOnlyError,
  ShapeError,
  zeros,
  type NDArray
} from '../../../../src/index.ts';
import { functionOf, type Captured } from '../kernel-of.ts';

const mapped = (parameters: number, text: string, captured: Captured = {}): ReturnType<typeof cuda.map> =>
  cuda.map(functionOf(parameters, text, captured));
const range = (...shape: number[]): NDArray =>
  arange(
    shape.reduce((size, length) => size * length, 1),
    { dtype: 'float32' }
  ).reshape(...shape);
/** Numbers with all indices in their digits. */
const sum = cuda.map((a: number, b: number) => a + b);

test.each([
  ['equal shapes', [2, 3], [2, 3]],
  ['a row', [2, 3], [3]],
  ['a column', [2, 3], [2, 1]],
  ['a row and a column', [3], [2, 1]],
  ['one element', [4, 5], [1]],
  ['no axes', [4, 5], []],
  ['three axes', [2, 3, 4], [3, 1]],
  ['five axes', [2, 3, 2, 2, 3], [2, 1, 3]],
  ['six axes, broadcast on all', [2, 1, 2, 1, 3, 1], [1, 2, 1, 2, 1, 2]],
  ['many elements', [300, 300], [300]]
])('broadcasts %s', (_, left, right) => {
  const [a, b] = [range(...left), range(...right).reshape(...right)];
  expect(sum(a, b).toNested()).toEqual(a.add(b).toNested());
});

test('reads strided, transposed, mirrored and repeated arrays', () => {
  const x = range(4, 6);
  for (const view of [
    x.T,
    x.slice('::2', '::-1'),
    x.slice(null, '1:5:2'),
    x.slice(1),
    x.slice(0).broadcastTo([3, 6])
  ])
    expect(sum(view, view).toNested()).toEqual(view.add(view).toNested());
  const five = range(2, 3, 2, 2, 2);
  const moved = five.transpose(4, 2, 0, 1, 3);
  expect(sum(moved, moved).toNested()).toEqual(moved.add(moved).toNested());
});

test.each([
  ['float16', 'float16', (a: number) => a * 1.5],
  ['bfloat16', 'bfloat16', (a: number) => a * 1.5],
  ['float32', 'float32', (a: number) => Math.sqrt(a)],
  ['float64', 'float64', (a: number) => a / 3],
  ['int8', 'int8', (a: number) => a * 2],
  ['uint8', 'uint8', (a: number) => a + 250],
  ['int16', 'int16', (a: number) => -a],
  ['uint16', 'uint16', (a: number) => a | 1],
  ['int32', 'int32', (a: number) => a % 2],
  ['uint32', 'uint32', (a: number) => a >> 1],
  ['int32', 'bool', (a: number) => a > 2],
  ['int8', 'float32', (a: number) => a * 0.5],
  ['int32', 'float32', (a: number) => a * 0.5],
  ['float32', 'bool', (a: number) => a > 2 && a < 4]
] as const)('of %s gives %s', (given, expected, body) => {
  const x = array([1, 2, 3, 4], { dtype: given });
  const result = cuda.map(body)(x);
  expect(result.dtype.name).toBe(expected);
  const cast = (each: number): unknown => array([body(each) as number], { dtype: expected }).item();
  expect(result.toNested()).toEqual(
    [1, 2, 3, 4].map(each => (expected === 'uint8' ? (each + 250) & 255 : cast(each)))
  );
});

test.each([
  ['int64', [1n, -2n], [3n, -3n]],
  ['uint64', [1n, 2n], [3n, 5n]]
] as const)('of %s', (dtype, values, expected) => {
  const result = mapped(1, 'a => a * 2n + 1n')(array(values as unknown as number[], { dtype }));
  expect([result.dtype.name, result.toNested()]).toEqual([dtype, expected]);
});

test('different types meet as in a kernel', () => {
  const [i, f, d] = [
    array([1, 2], { dtype: 'int32' }),
    array([0.5, 1.5], { dtype: 'float32' }),
    array([0.1, 0.2])
  ];
  expect([sum(i, f), sum(f, d), sum(i, d)].map(each => [each.dtype.name, each.toNested()])).toEqual([
    ['float32', [1.5, 3.5]],
    ['float64', [0.6, 1.7]],
    ['float64', [1.1, 2.2]]
  ]);
});

test('if, loops, helpers and captured values', () => {
  let limit = 3;
  const captured = {
    get limit() {
      return limit;
    },
    twice: (v: number) => v * 2
  };
  const text = `(a: f32) => {
    if (a < 1) return -1;
    let steps = 0;
    for (let v = a; v < limit * 10; v = twice(v)) steps++;
    return steps;
  }`;
  const steps = mapped(1, text, captured);
  const count = (a: number): number => (a < 1 ? -1 : Math.max(0, Math.ceil(Math.log2((limit * 10) / a))));
  const x = array([0.5, 1, 3, 7, 100], { dtype: 'float32' });
  expect(steps(x).toNested()).toEqual([0.5, 1, 3, 7, 100].map(count));
  limit = 30;
  expect(steps(x).toNested()).toEqual([0.5, 1, 3, 7, 100].map(count));
});

describe('out', () => {
  test('takes the result in its own type', () => {
    const out = zeros([2, 2], { dtype: 'float64' });
    expect(sum(range(2, 2), range(2), { out })).toBe(out);
    expect(out.toNested()).toEqual([
      [0, 2],
      [2, 4]
    ]);
  });

  test('may be strided', () => {
    const whole = zeros([4, 4], { dtype: 'float32' });
    sum(range(2, 4), range(4), { out: whole.slice('::2', '::-1') });
    expect((whole.toNested() as number[][])[2]).toEqual([10, 8, 6, 4]);
    expect((whole.toNested() as number[][])[1]).toEqual([0, 0, 0, 0]);
  });

  test('may have five axes and strides', () => {
    const whole = zeros([2, 2, 2, 2, 4], { dtype: 'float32' });
    const out = whole.slice(null, null, null, null, '::2');
    const x = range(2, 2, 2, 2, 2);
    expect(sum(x, x, { out }).toNested()).toEqual(x.add(x).toNested());
  });

  test('may be an operand', () => {
    const x = range(1000);
    sum(x, x, { out: x });
    expect(x.item(999)).toBe(1998);
  });

  test('may overlap an operand', () => {
    const x = range(1000);
    sum(x.slice('0:999'), x.slice('1:1000'), { out: x.slice('1:1000') });
    expect((x.toNested() as number[]).every((each, i) => each === (i === 0 ? 0 : 2 * i - 1))).toBe(true);
    const y = range(1000);
    sum(y, y, { out: y.slice('::-1') });
    expect((y.toNested() as number[]).every((each, i) => each === 2 * (999 - i))).toBe(true);
  });

  test.each([
    ['of another shape', zeros([3]), ShapeError, 'out has shape (3,), expected (2,)'],
    ['that is no array', 5 as unknown as NDArray, ArgumentError, '']
  ])('%s is refused', (_, out, type, message) => {
    expect(() => sum(range(2), range(2), { out })).toThrow(type);
    expect(() => sum(range(2), range(2), { out })).toThrow(message);
  });

  test('that must not be written is refused', () => {
    const out = range(1).broadcastTo([2]);
    expect(() => sum(range(2), range(2), { out })).toThrow(ReadOnlyError);
  });
});

test('arrays without elements', () => {
  const result = sum(zeros([0, 3], { dtype: 'float32' }), range(3));
  expect([result.shape, result.dtype.name]).toEqual([[0, 3], 'float32']);
});

test.each([
  ['no function', () => cuda.map(5 as never), ArgumentError, 'cuda.map: expected a function, not 5'],
  ['too few arrays', () => sum(range(2)), ArgumentError, 'cuda.map: expected 2 arrays, not 1'],
  ['a number', () => sum(range(2), 3 as never), ArgumentError, 'expected'],
  ['shapes that do not fit', () => sum(range(2), range(3)), ShapeError, ''],
  [
    'complex numbers',
    () => sum(zeros(2, { dtype: 'complex64' }), range(2)),
    ArgumentError,
    'kernels in TypeScript work on'
  ],
  [
    'source outside the language',
    () => mapped(1, 'a => a.b')(range(2)),
    KernelError,
    '.b does not work here'
  ],
  ['types that do not meet', () => sum(range(2), zeros(2, { dtype: 'int64' })), KernelError, 'cast one side']
] as const)('%s is refused', (_, call, type, message) => {
  expect(call).toThrow(type);
  expect(call).toThrow(message);
});
