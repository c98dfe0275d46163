/** Functions of Math and cuda in kernels, compared with JavaScript. */

import type { ElementType } from '../../../../src/kernels/program/types.ts';
import { elementwise, pairs, type Value } from './elementwise.ts';

const { fround } = Math;
const FLOATS = [
  0,
  -0,
  0.1,
  -0.1,
  0.49999997,
  0.5,
  -0.5,
  1,
  -1,
  1.5,
  -1.5,
  2.5,
  -2.5,
  3.7,
  -3.7,
  10,
  100.25,
  8_388_609,
  -8_388_609,
  1e-40,
  1e30,
  Infinity,
  -Infinity,
  NaN
];

/** Distance of two numbers in units of the last place of the type. */
function distance(found: number, expected: number, type: 'f32' | 'f64'): number {
  if (Object.is(found, expected) || (found === 0 && expected === 0)) return 0;
  const scale = Math.max(Math.abs(expected), type === 'f32' ? 2 ** -126 : 2 ** -1022);
  const unit = 2 ** (Math.floor(Math.log2(scale)) - (type === 'f32' ? 23 : 52));
  return Math.abs(found - expected) / unit;
}

/** As C and GPUs have it, and JavaScript does not: 1 to any power is 1, and -1 to an infinite one. */
const power = (x: number, y: number): number =>
  x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y;

const EXACT: readonly (readonly [string, (a: number) => number])[] = [
  ['Math.floor(a)', Math.floor],
  ['Math.ceil(a)', Math.ceil],
  ['Math.trunc(a)', Math.trunc],
  ['Math.round(a)', Math.round],
  ['Math.abs(a)', Math.abs],
  ['Math.sign(a)', Math.sign],
  ['Math.sqrt(a)', Math.sqrt],
  ['Math.fround(a)', fround],
  ['cuda.rint(a)', a => (Math.abs(a - Math.trunc(a)) === 0.5 ? 2 * Math.round(a / 2) : Math.round(a))]
];
const CLOSE: readonly (readonly [string, (a: number) => number])[] = [
  ['Math.cbrt(a)', Math.cbrt],
  ['Math.exp(a)', Math.exp],
  ['Math.expm1(a)', Math.expm1],
  ['Math.log(a)', Math.log],
  ['Math.log2(a)', Math.log2],
  ['Math.log10(a)', Math.log10],
  ['Math.log1p(a)', Math.log1p],
  ['Math.sin(a)', Math.sin],
  ['Math.cos(a)', Math.cos],
  ['Math.tan(a)', Math.tan],
  ['Math.asin(a)', Math.asin],
  ['Math.acos(a)', Math.acos],
  ['Math.atan(a)', Math.atan],
  ['Math.sinh(a)', Math.sinh],
  ['Math.cosh(a)', Math.cosh],
  ['Math.tanh(a)', Math.tanh],
  ['Math.asinh(a)', Math.asinh],
  ['Math.acosh(a)', Math.acosh],
  ['Math.atanh(a)', Math.atanh],
  ['cuda.exp2(a)', a => 2 ** a],
  ['cuda.rsqrt(a)', a => 1 / Math.sqrt(a)]
];

describe.each([
  ['f32', fround],
  ['f64', (value: number) => value]
] as const)('%s', (type, round) => {
  const values = FLOATS.map(round);
  test.each(EXACT)('%s is exact', (expression, rule) => {
    expect(elementwise(expression, type, [[type, values]])).toEqual(values.map(a => round(rule(a))));
  });

  test.each(CLOSE)('%s is right to two units', (expression, rule) => {
    const found = elementwise(expression, type, [[type, values]]) as number[];
    const far = values.filter((a, index) => !(distance(found[index]!, round(rule(a)), type) <= 2));
    expect(far).toEqual([]);
  });

  const [a, b] = pairs(values);
  const columns = [
    [type, a],
    [type, b]
  ] as const;
  test.each([
    ['Math.min(a, b)', (x: number, y: number) => Math.min(x, y)],
    ['Math.max(a, b)', (x: number, y: number) => Math.max(x, y)],
    ['Math.max(a, b, 2)', (x: number, y: number) => Math.max(x, y, 2)],
    ['Math.min(1, a, b, -1)', (x: number, y: number) => Math.min(1, x, y, -1)],
    [
      'cuda.copysign(a, b)',
      (x: number, y: number) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))
    ]
  ])('%s is exact', (expression, rule) => {
    const kept = a.flatMap((_, index) =>
      expression.includes('copysign') && Number.isNaN(b[index]!) ? [] : [index]
    );
    const found = elementwise(expression, type, columns);
    expect(kept.map(index => found[index])).toEqual(kept.map(index => rule(a[index]!, b[index]!)));
  });

  test.each([
    ['Math.pow(a, b)', power],
    ['a ** b', power],
    ['Math.atan2(a, b)', Math.atan2],
    ['Math.hypot(a, b)', Math.hypot]
  ])('%s is right to two units', (expression, rule) => {
    const found = elementwise(expression, type, columns) as number[];
    const far = a.flatMap((x, index) => {
      const expected = round(rule(x, b[index]!));
      return distance(found[index]!, expected, type) <= 2 ? [] : [[x, b[index], found[index], expected]];
    });
    expect(far).toEqual([]);
  });

  test.each([
    ['Number.isNaN(a)', Number.isNaN],
    ['isNaN(a)', Number.isNaN],
    ['Number.isFinite(a)', Number.isFinite],
    ['isFinite(a)', Number.isFinite],
    ['a !== a', Number.isNaN]
  ])('%s', (expression, rule) => {
    expect(elementwise(expression, 'bool', [[type, values]])).toEqual(values.map(each => rule(each)));
  });
});

test.each([
  [
    'cuda.erf(a)',
    [0, 0, 0.5, 1, -1, 3],
    [0, 0, 0.5204998778130465, 0.8427007929497149, -0.8427007929497149, 0.9999779095030014]
  ],
  [
    'cuda.erfc(a)',
    [0, 0.5, 1, -1, 3],
    [1, 0.4795001221869535, 0.15729920705028513, 1.8427007929497148, 0.00002209049699858544]
  ],
  ['cuda.gamma(a)', [1, 5, 0.5, -0.5], [1, 24, 1.772453850905516, -3.5449077018110318]],
  ['cuda.lgamma(a)', [1, 5, 0.5, 100], [0, 3.1780538303479458, 0.5723649429247001, 359.1342053695754]],
  ['cuda.fma(a, a, -1)', [1 + 2 ** -30, 3], [2 ** -29 + 2 ** -60, 8]]
])('%s', (expression, values, expected) => {
  const found = elementwise(expression, 'f64', [['f64', values]]) as number[];
  expect(found.filter((each, index) => !(distance(each, expected[index]!, 'f64') <= 4))).toEqual([]);
});

const wrap = (type: ElementType, value: bigint): Value =>
  ({
    i32: Number(BigInt.asIntN(32, value)),
    u32: Number(BigInt.asUintN(32, value)),
    i64: BigInt.asIntN(64, value),
    u64: BigInt.asUintN(64, value)
  })[type as 'i32'];

describe.each(['i32', 'u32', 'i64', 'u64'] as const)('%s', type => {
  const bits = type.endsWith('64') ? 64 : 32;
  const values = [0n, 1n, 2n, 6n, 255n, 256n, 0x1234_5678n, 2n ** 31n - 1n, 2n ** 40n + 1n, -1n, -2n, -8n]
    .map(value => wrap(type, value))
    .map(value => (bits === 64 ? value : Number(value)));
  const binary = (value: Value): string =>
    BigInt.asUintN(bits, BigInt(value)).toString(2).padStart(bits, '0');
  test.each([
    ['cuda.popc(a)', 'i32', (value: Value) => binary(value).replaceAll('0', '').length],
    ['cuda.clz(a)', 'i32', (value: Value) => `${binary(value)}1`.indexOf('1')],
    [
      'cuda.ffs(a)',
      'i32',
      (value: Value) => (Number(value) === 0 ? 0 : bits - binary(value).lastIndexOf('1'))
    ],
    [
      'cuda.brev(a)',
      type,
      (value: Value) => wrap(type, BigInt(`0b${[...binary(value)].reverse().join('')}`))
    ],
    ['Math.abs(a)', type, (value: Value) => wrap(type, BigInt(value) < 0n ? -BigInt(value) : BigInt(value))]
  ] as const)('%s', (expression, result, rule) => {
    expect(elementwise(expression, result, [[type, values]])).toEqual(values.map(each => rule(each)));
  });

  const [a, b] = pairs(values);
  test.each([
    ['cuda.multiplyHigh(a, b)', (x: Value, y: Value) => wrap(type, (BigInt(x) * BigInt(y)) >> BigInt(bits))],
    ['Math.min(a, b)', (x: Value, y: Value) => (x < y ? x : y)],
    ['Math.max(a, b)', (x: Value, y: Value) => (x > y ? x : y)]
  ] as const)('%s', (expression, rule) => {
    const columns = [
      [type, a],
      [type, b]
    ] as const;
    expect(elementwise(expression, type, columns)).toEqual(a.map((x, index) => rule(x, b[index]!)));
  });
});

test.each([
  ['of f32', 'cuda.bits(a)', 'f32', [1, -0, Infinity], 'i32', [0x3f80_0000, -(2 ** 31), 0x7f80_0000]],
  ['of i32', 'cuda.bits(a)', 'i32', [0x3f80_0000, 1], 'f32', [1, 2 ** -149]],
  ['of u32', 'cuda.bits(a)', 'u32', [0xbf80_0000], 'f32', [-1]],
  ['of f64', 'cuda.bits(a)', 'f64', [1, -0], 'i64', [0x3ff0_0000_0000_0000n, -(2n ** 63n)]],
  ['of i64', 'cuda.bits(a)', 'i64', [0x3ff0_0000_0000_0000n], 'f64', [1]],
  ['of u64', 'cuda.bits(a)', 'u64', [0xbff0_0000_0000_0000n], 'f64', [-1]],
  ['back and forth', 'cuda.bits(cuda.bits(a) ^ (1 << 31))', 'f32', [1.5], 'f32', [-1.5]]
] as const)('bits %s', (_, expression, type, values, result, expected) => {
  expect(elementwise(expression, result, [[type, values]])).toEqual(expected);
});

test('clz32 takes any 32-bit integer', () => {
  const values = [0, 1, -1, 0x00ff_0000];
  expect(elementwise('Math.clz32(a)', 'i32', [['i32', values]])).toEqual(values.map(Math.clz32));
});

test.each([
  ['Math.sin(0.5) + Math.floor(-2.5)', Math.sin(0.5) + Math.floor(-2.5)],
  ['Math.PI * Math.E - Math.SQRT2', Math.PI * Math.E - Math.SQRT2],
  ['Math.round(-0.5) + Math.round(2.5)', 3],
  ['Math.max(1, 2.5, -3)', 2.5],
  ['Math.min(1, Number.MAX_VALUE)', 1],
  ['0.1 + 0.2', 0.1 + 0.2],
  ['2 ** 40 + 2 ** -20', 2 ** 40 + 2 ** -20],
  ['7 / 2', 3.5],
  ['Math.trunc(7 / 2)', 3],
  ['f64(i32(3e9)) + f64(i32(-3e9))', -1],
  ['f64(i32(NaN)) + f64(u32(Infinity))', 2 ** 32 - 1],
  ['f64(i32(0xffffffff)) + f64(u32(-2))', 2 ** 32 - 3],
  ['f64(i64(1e30))', 2 ** 63],
  ['Infinity', Infinity],
  ['-NaN', NaN],
  ['Number.EPSILON', Number.EPSILON]
])('the constant %s keeps its digits in f64', (expression, expected) => {
  expect(elementwise(`a + (${expression})`, 'f64', [['f64', [0]]])).toEqual([expected]);
});
