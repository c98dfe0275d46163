/** cuda.map of complex numbers: the results of array operations, and what is refused. */

import {
  abs,
  acos,
  acosh,
  add,
  array,
  asin,
  asinh,
  atan,
  atanh,
  c128,
  c64,
  conj,
  cos,
  cosh,
  cuda,
  divide,
  equal,
  exp,
  imag,
  isfinite,
  isnan,
  KernelError,
  log,
  log10,
  multiply,
  negative,
  notEqual,
  pow,
  real,
  sign,
  sin,
  sinh,
  sqrt,
  subtract,
  tan,
  tanh,
  zeros,
  type NDArray
} from '../../../../src/index.ts';
import { functionOf, kernelOf } from '../kernel-of.ts';

const NUMBERS = [
  { re: 1, im: 2 },
  { re: -0.5, im: 0.25 },
  { re: 0, im: -0 },
  { re: -3, im: 0 },
  { re: 0, im: 1e-3 },
  { re: Infinity, im: 1 },
  { re: NaN, im: 0 }
];
const OTHERS = NUMBERS.toReversed();

const mapped = (parameters: number, text: string, captured = {}): ReturnType<typeof cuda.map> =>
  cuda.map(functionOf(parameters, text, captured));
const same = (left: NDArray, right: NDArray): void =>
  expect([left.dtype.name, left.toNested()]).toEqual([right.dtype.name, right.toNested()]);

describe.each(['complex64', 'complex128'] as const)('%s', dtype => {
  const [x, y] = [array(NUMBERS, { dtype }), array(OTHERS, { dtype })];

  test.each([
    ['a + b', add],
    ['a - b', subtract],
    ['a * b', multiply],
    ['a / b', divide],
    ['a === b', equal],
    ['a !== b', notEqual],
    ['a ** b', pow],
    ['Math.pow(a, b)', pow]
  ])('%s', (text, operation: (a: NDArray, b: NDArray) => NDArray) =>
    same(mapped(2, `(a, b) => ${text}`)(x, y), operation(x, y))
  );

  test.each([
    ['-a', negative],
    ['Math.abs(a)', abs],
    ['Math.sign(a)', sign],
    ['cuda.real(a)', real],
    ['cuda.imag(a)', imag],
    ['cuda.conj(a)', conj],
    ['Number.isNaN(a)', isnan],
    ['Number.isFinite(a)', isfinite],
    ['Math.sqrt(a)', sqrt],
    ['Math.exp(a)', exp],
    ['Math.log(a)', log],
    ['Math.log10(a)', log10],
    ['Math.sin(a)', sin],
    ['Math.cos(a)', cos],
    ['Math.tan(a)', tan],
    ['Math.asin(a)', asin],
    ['Math.acos(a)', acos],
    ['Math.atan(a)', atan],
    ['Math.sinh(a)', sinh],
    ['Math.cosh(a)', cosh],
    ['Math.tanh(a)', tanh],
    ['Math.asinh(a)', asinh],
    ['Math.acosh(a)', acosh],
    ['Math.atanh(a)', atanh]
  ])('%s', (text, operation: (a: NDArray) => NDArray) => same(mapped(1, `a => ${text}`)(x), operation(x)));
});

test.each([
  ['complex64', 'float32', 'complex64'],
  ['complex64', 'float64', 'complex128'],
  ['complex64', 'int32', 'complex64'],
  ['complex64', 'float16', 'complex64'],
  ['complex64', 'complex128', 'complex128'],
  ['complex128', 'float32', 'complex128']
] as const)('%s with %s is %s, on either side', (left, right, dtype) => {
  const a = array([{ re: 1, im: 2 }], { dtype: left });
  const b = array([3], { dtype: right });
  const times = mapped(2, '(a, b) => a * b');
  for (const made of [times(a, b), times(b, a)])
    expect([made.dtype.name, made.toNested()]).toEqual([dtype, [{ re: 3, im: 6 }]]);
});

test('literals and captured numbers take the type', () => {
  const x = array([{ re: 1, im: 2 }], { dtype: 'complex64' });
  const made = mapped(1, 'a => (2 * a + 1.5) / half', { half: 0.5 })(x);
  expect([made.dtype.name, made.toNested()]).toEqual(['complex64', [{ re: 7, im: 8 }]]);
});

test('parts that are infinite, NaN or -0 make a number unchanged', () => {
  const parts = [Infinity, NaN, -0, 1];
  const [re, im] = [array(parts), array(parts.toReversed())];
  const made = mapped(2, '(re, im) => c128(re, im)')(re, im);
  expect(made.toNested()).toEqual(parts.map((each, i) => ({ re: each, im: parts.at(-1 - i) })));
  const narrow = mapped(2, '(re, im) => c64(re, im)')(re.astype('float16'), im.astype('int8'));
  expect(narrow.dtype.name).toBe('complex64');
});

test('c64 and c128 convert', () => {
  const x = array([{ re: 0.1, im: 1 }], { dtype: 'complex128' });
  expect(mapped(1, 'a => c64(a)')(x).toNested()).toEqual([{ re: Math.fround(0.1), im: 1 }]);
  expect(mapped(1, 'a => c128(a)')(array([2], { dtype: 'int64' })).toNested()).toEqual([{ re: 2, im: 0 }]);
  expect(
    mapped(
      1,
      'a => Boolean(a)'
    )(
      array([
        { re: 0, im: 0 },
        { re: 0, im: 1 }
      ])
    ).toNested()
  ).toEqual([false, true]);
});

test('variables, helpers, if and early returns', () => {
  const text = `(a, b) => {
    let sum = 0;
    sum += b;
    sum = sum + square(a);
    if (Math.abs(sum) > 10) return cuda.conj(sum);
    const { z } = { z: sum };
    return z;
  }`;
  const square = (z: number): number => z * z;
  const z = array([
    { re: 1, im: 2 },
    { re: 4, im: 1 }
  ]);
  expect(mapped(2, text, { square })(z, array([1, 2], { dtype: 'int16' })).toNested()).toEqual([
    { re: -2, im: 4 },
    { re: 17, im: -8 }
  ]);
});

test('strides, broadcasting, no elements, and out of an own type or an operand', () => {
  const z = array([NUMBERS.slice(0, 3), OTHERS.slice(3, 6)], { dtype: 'complex64' });
  const times = mapped(2, '(a, b) => a * b');
  same(times(z.slice(null, '::-1').T, z.slice(0, ':2')), multiply(z.slice(null, '::-1').T, z.slice(0, ':2')));
  expect(times(z.slice(':0'), z.slice(0)).shape).toEqual([0, 3]);
  const wide = zeros([2, 3], { dtype: 'complex128' });
  expect(times(z, z, { out: wide }).toNested()).toEqual(multiply(z, z).toNested());
  const expected = multiply(z, z).toNested();
  expect(times(z, z, { out: z }).toNested()).toEqual(expected);
});

test.each([
  ['an order', 'a => a < 1', 'less is not defined for complex numbers (c64)', 1],
  ['a remainder', 'a => a % 2', 'remainder is not defined for complex numbers', 1],
  ['bits', 'a => a | 1', 'an operator on bits needs integers, found c64', 1],
  ['Math.min', 'a => Math.min(a, 1)', 'min is not defined for complex numbers', 1],
  ['Math.atan2', 'a => Math.atan2(a, 1)', 'atan2 is not defined for complex numbers', 1],
  ['Math.cbrt', 'a => Math.cbrt(a)', 'expected a real number, found a complex one (c64)', 1],
  ['a cast to a float', 'a => f32(a)', 'f32 of a complex number (c64)', 1],
  ['a float variable', 'a => { const x: f32 = a; return x; }', 'a complex number (c64) in f32', 1],
  ['a condition', 'a => (a ? 1 : 0)', 'a condition must be a boolean, found c64', 1],
  ['a boolean', 'a => c64(a === a)', 'expected a number, found a boolean', 1],
  ['a loop', 'a => {\n  let z = a;\n  for (let i = 0; i < 3; i++) z = z * a;\n  return z;\n}', 'no loops', 3],
  ['memory of a kernel', 'a => cuda.local(c64, 4)[0]', 'expected a number type of kernels', 1]
])('%s is refused, with the place', (_, text, message, line) => {
  const call = (): unknown => mapped(1, text)(zeros(2, { dtype: 'complex64' }));
  expect(call).toThrow(KernelError);
  expect(call).toThrow(message);
  expect(call).toThrow(
    expect.objectContaining({ place: expect.objectContaining({ line }) as unknown }) as Error
  );
});

test.each([
  ['an array', '(x: DeviceArray<c64>) => { x[0] = 1; }', 'a kernel has no arrays of complex numbers'],
  [
    'a number',
    '(x: DeviceArray<f32>, z: c64) => { x[0] = cuda.real(z); }',
    'complex numbers work in cuda.map'
  ],
  [
    'a value',
    '(x: DeviceArray<f32>) => { x[0] = Math.abs(c64(3, x[1])); }',
    'complex numbers work in cuda.map'
  ]
])('%s in a kernel is refused', (_, text, message) => {
  const x = zeros(4, { dtype: 'float32' });
  const kernel = kernelOf(text.includes('z:') ? 2 : 1, text);
  const call = (): void => kernel.launch({ grid: 1, block: 1 }, ...(text.includes('z:') ? [x, 1] : [x]));
  expect(call).toThrow(KernelError);
  expect(call).toThrow(message);
});

test('reduce, scan and filter refuse arrays of complex numbers', () => {
  const z = zeros(2, { dtype: 'complex64' });
  const plus = (a: number, b: number): number => a + b;
  for (const call of [
    () => cuda.reduce(plus)(z),
    () => cuda.scan(plus)(z),
    () => cuda.filter((a: number) => Math.abs(a) > 1)(z)
  ])
    expect(call).toThrow('kernels in TypeScript work on bool');
});

test('outside of functions for cuda.map, c64 and c128 make nothing', () => {
  expect(() => c64(1, 2)).toThrow('c64 works only inside cuda.map');
  expect(() => c128(1)).toThrow('c128 works only inside cuda.map');
});
