/** cuda.map: functions of elements over arrays. */

import {
  arange,
  ArgumentError,
  array,
  clip,
  cuda,
  KernelError,
  ReadOnlyError,
  ShapeError,
  sin,
  zeros,
  type NDArray
} from '../../../../src/index.ts';
import { functionOf, kernelOf, type Captured } from '../kernel-of.ts';

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

test('a parameter with a type converts elements, and one without takes theirs', () => {
  const x = array([0.1, 0.2]);
  const [open, narrow] = [mapped(1, 'a => a * 2')(x), mapped(1, '(a: f32) => a * 2')(x)];
  expect([open.dtype.name, open.toNested()]).toEqual(['float64', [0.2, 0.4]]);
  expect([narrow.dtype.name, narrow.toNested()]).toEqual(['float32', [0.2, 0.4].map(Math.fround)]);
  expect(() => mapped(1, '(a: i32) => a')(x)).toThrow('a fraction (f64) in i32');
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
  [
    'one array too many',
    () => mapped(1, 'a => a')(range(2), range(2)),
    ArgumentError,
    'expected 1 array, not 2'
  ],
  ['a function of text', () => mapped(1, "a => 'x'")(range(2)), ArgumentError, 'gives no number or boolean'],
  [
    'a function of a list',
    () => mapped(1, 'a => [a, a]')(range(2)),
    ArgumentError,
    'gives no number or boolean'
  ],
  ['too few arrays', () => sum(range(2)), ArgumentError, 'cuda.map: expected 2 arrays, not 1'],
  ['a number', () => sum(range(2), 3 as never), ArgumentError, 'expected'],
  ['shapes that do not fit', () => sum(range(2), range(3)), ShapeError, ''],
  [
    'a dtype without arithmetic',
    () => sum(zeros(2, { dtype: 'int4' }), range(2)),
    ArgumentError,
    'cuda.map works on'
  ],
  [
    'a function that gives text',
    () => cuda.map(_ => 'a')(range(2)),
    ArgumentError,
    'gives no number or boolean'
  ],
  [
    'a function that gives an object',
    () => cuda.map(a => ({ a }))(range(2)),
    ArgumentError,
    'gives no number'
  ],
  [
    'a function that gives nothing',
    () => cuda.map((_: number) => {})(range(2)),
    KernelError,
    'has no result'
  ],
  ['a function without elements', () => cuda.map(() => 1), ArgumentError, 'not one without parameters'],
  [
    'a captured array',
    () => mapped(1, 'a => a + other', { other: range(2) })(range(2)),
    KernelError,
    'other is an array of a device'
  ],
  [
    'a loop over 8-bit floats',
    () =>
      mapped(1, 'a => { let s = a; while (s < 9) s *= 2; return s; }')(zeros(2, { dtype: 'float8_e5m2' })),
    KernelError,
    'this does not work with float8_e5m2'
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

test('of many functions gives the results of separate calls', () => {
  const wave = mapped(2, '(x, y) => Math.sin(x) * y + 1');
  const [a, b] = [range(2, 3), arange(3, { dtype: 'int16' })];
  expect(wave(a, b).toNested()).toEqual(sin(a).multiply(b).add(1).toNested());
  const x = array([-300, -1, 0, 7, 300], { dtype: 'int16' });
  const doubled = mapped(2, '(a, low) => Math.min(Math.max(a * 2, low), 10)');
  const low = array([-4], { dtype: 'int16' });
  expect(doubled(x, low).toNested()).toEqual(clip(x.multiply(2), low, 10).toNested());
});

test('casts as kernels do: narrow integers wrap, floats saturate', () => {
  const x = array([1.75, -1.75, 300, NaN, 1e30, -Infinity]);
  expect(mapped(1, 'x => i8(x) + 1')(x).toNested()).toEqual([2, 0, 45, 1, 0, 1]);
  for (const [type, least, most] of [
    ['i32', -(2 ** 31), 2 ** 31 - 1],
    ['u32', 0, 2 ** 32 - 1],
    ['i64', -(2n ** 63n), 2n ** 63n - 1n],
    ['u64', 0n, 2n ** 64n - 1n]
  ] as const)
    for (const source of [x, x.astype('float32')]) {
      const of = (value: number): number | bigint => (typeof least === 'bigint' ? BigInt(value) : value);
      const below = type.startsWith('u') ? of(0) : of(-1);
      expect(mapped(1, `x => ${type}(x)`)(source).toNested()).toEqual([
        of(1),
        below,
        of(300),
        of(0),
        most,
        least
      ]);
    }
});

test('Math.min and Math.max of floats: NaN wins, and -0 is below 0', () => {
  const left = [0, -0, NaN, 1, -0, 2];
  const right = [-0, 0, 1, NaN, -0, 1];
  for (const dtype of ['float32', 'float64'] as const)
    for (const name of ['min', 'max'] as const) {
      const given = [array(left, { dtype }), array(right, { dtype })];
      const expected = left.map((each, i) => Math[name](each, right[i]!));
      expect(mapped(2, `(a, b) => Math.${name}(a, b)`)(...given).toNested()).toEqual(expected);
      const beside = mapped(1, `a => Math.${name}(a, -0)`)(given[0]!);
      expect(beside.toNested()).toEqual(left.map(each => Math[name](each, -0)));
    }
});

/** Bodies with branches, which become array operations, compared with kernels, which run them branch by branch. */
test.each([
  'if (a < -1) return -1; if (a < 0) { const b = a * 2; return b; } else if (a > 5) { return 5; } return a + 1;',
  'if (a < 0) { if (a < -1) return 7; a = 100; } return a;',
  'if (a < 0) { if (a < -1) { return 7; } else { return 8; } } return a;',
  'if (a < 0) return 1; else return 2;',
  'let s = 0; if (a > 0) { s = 1; if (a > 1) s = 2; } s += a; return s;',
  'const low = helper(a); return low > 2 ? helper(low) : low;',
  'switch (i32(a)) { case 0: return 5; case 1: a = 9; break; default: a = -a; } return a;'
])('takes branches as a kernel does: %s', body => {
  const helper = (v: number): number => {
    if (v > 1) return v - 1;
    return -v;
  };
  const x = array([-2, -0.5, 0, 0.5, 1, 3, 9, NaN], { dtype: 'float32' });
  const out = zeros(8, { dtype: 'float32' });
  const text = `(x: DeviceArray<f32>, out: DeviceArray<f32>) => {
    const body = (a: f32): f32 => { ${body} };
    out[cuda.grid(1)] = body(x[cuda.grid(1)]);
  }`;
  kernelOf(2, text, { helper }).launch({ grid: 1, block: 8 }, x, out);
  const made = mapped(1, `(a: f32): f32 => { ${body} }`, { helper })(x);
  expect(made.toNested()).toEqual(out.toNested());
});

test('reads captured values at each call', () => {
  let factor = 2;
  const captured = {
    get factor() {
      return factor;
    }
  };
  const scaled = mapped(1, 'x => x * factor', captured);
  const a = arange(3, { dtype: 'int32' });
  expect(scaled(a).toNested()).toEqual([0, 2, 4]);
  factor = 0.5;
  expect([scaled(a).dtype.name, scaled(a).toNested()]).toEqual(['float32', [0, 0.5, 1]]);
});

test('a value that is used twice is computed once, at any depth', () => {
  const steps = 'x = x + x; '.repeat(40);
  expect(mapped(1, `x => { ${steps} return x; }`)(array([1])).item(0)).toBe(2 ** 40);
});

test('an array may be passed twice, and read backwards while it is written', () => {
  const a = arange(4, { dtype: 'float32' });
  mapped(2, '(x, y) => x * y + x')(a, a, { out: a });
  expect(a.toNested()).toEqual([0, 2, 6, 12]);
  mapped(2, '(x, y) => x - y')(a, a.slice('::-1'), { out: a });
  expect(a.toNested()).toEqual([-12, -4, 4, 12]);
});

test('fills with a value if the body uses no element', () => {
  const made = mapped(1, 'x => 2.5')(zeros(3, { dtype: 'int32' }));
  expect([made.dtype.name, made.toNested()]).toEqual(['float32', [2.5, 2.5, 2.5]]);
});

test.each([
  'float8_e3m4',
  'float8_e4m3',
  'float8_e4m3b11fnuz',
  'float8_e4m3fn',
  'float8_e4m3fnuz',
  'float8_e5m2',
  'float8_e5m2fnuz'
] as const)('of %s computes in float32 and rounds once', dtype => {
  const x = array([1, 2.5, 5, 0.25], { dtype });
  const made = mapped(1, 'x => x * 1.1 + 0.01')(x);
  const wide = x.astype('float32').multiply(1.1).add(0.01);
  expect([made.dtype.name, made.toNested()]).toEqual([dtype, wide.astype(dtype).toNested()]);
});

test('booleans', () => {
  const [a, b] = [array([true, false, true]), array([true, true, false])];
  const made = mapped(2, '(a, b) => !(a && b) || a === b')(a, b);
  expect([made.dtype.name, made.toNested()]).toEqual(['bool', [true, true, true]]);
});
