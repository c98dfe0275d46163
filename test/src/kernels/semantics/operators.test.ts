/** Operators of kernels, of each type, compared with JavaScript. */

import type { ElementType } from '../../../../src/kernels/program/types.ts';
import { elementwise, pairs, type Value } from './elementwise.ts';

type Rule = (a: never, b: never) => Value;
type Row = readonly [expression: string, result: ElementType, rule: Rule];

const { fround, imul } = Math;
const u32 = (value: number): number => value >>> 0;
const i64 = (value: bigint): bigint => BigInt.asIntN(64, value);
const u64 = (value: bigint): bigint => BigInt.asUintN(64, value);

const comparisons = <T extends number | bigint>(): Row[] => [
  ['a < b', 'bool', (a: T, b: T) => a < b],
  ['a <= b', 'bool', (a: T, b: T) => a <= b],
  ['a > b', 'bool', (a: T, b: T) => a > b],
  ['a >= b', 'bool', (a: T, b: T) => a >= b],
  ['a === b', 'bool', (a: T, b: T) => a === b],
  ['a !== b', 'bool', (a: T, b: T) => a !== b],
  ['a == b', 'bool', (a: T, b: T) => a === b],
  ['a != b', 'bool', (a: T, b: T) => a !== b]
];

function check(type: ElementType, values: readonly Value[], rows: readonly Row[]): void {
  const [a, b] = pairs(values);
  test.each(rows)('%s gives %s', (expression, result, rule) => {
    const apply = rule as (a: Value, b: Value) => Value;
    const found = elementwise(expression, result, [
      [type, a],
      [type, b]
    ]);
    expect(found).toEqual(a.map((each, index) => apply(each, b[index]!)));
  });
}

describe('i32', () => {
  const least = -(2 ** 31);
  check(
    'i32',
    [0, 1, 2, 3, 7, 31, 33, 255, 65_537, 2 ** 31 - 1, least, least + 1, -1, -2, -7],
    [
      ['a + b', 'i32', (a: number, b: number) => (a + b) | 0],
      ['a - b', 'i32', (a: number, b: number) => (a - b) | 0],
      ['a * b', 'i32', (a: number, b: number) => imul(a, b)],
      ['Math.imul(a, b)', 'i32', (a: number, b: number) => imul(a, b)],
      ['b === 0 ? 0 : Math.trunc(a / b)', 'i32', (a: number, b: number) => (b === 0 ? 0 : (a / b) | 0)],
      ['b === 0 ? 0 : (a / b) | 0', 'i32', (a: number, b: number) => (b === 0 ? 0 : (a / b) | 0)],
      ['b === 0 ? 0 : i32(a / b)', 'i32', (a: number, b: number) => (b === 0 ? 0 : (a / b) | 0)],
      [
        'b === 0 ? 0 : Math.floor(a / b)',
        'i32',
        (a: number, b: number) => (b === 0 ? 0 : Math.floor(a / b) | 0)
      ],
      ['Math.ceil(a / b)', 'i32', (a: number, b: number) => (b === 0 ? -1 : Math.ceil(a / b) | 0)],
      ['Math.ceil(a / 7)', 'i32', (a: number) => Math.ceil(a / 7) | 0],
      ['b === 0 ? 0 : a % b', 'i32', (a: number, b: number) => (b === 0 ? 0 : (a % b) | 0)],
      ['f64(a) / f64(b)', 'f64', (a: number, b: number) => a / b],
      ['a & b', 'i32', (a: number, b: number) => a & b],
      ['(a & 0xffff0000) ^ 0x9e3779b9', 'i32', (a: number) => (a & 0xffff0000) ^ 0x9e3779b9],
      ['(0x80000000 | 0) + a', 'i32', (a: number) => (a - 2 ** 31) | 0],
      ['Math.imul(a, 0x85ebca6b)', 'i32', (a: number) => imul(a, 0x85ebca6b)],
      ['a | b', 'i32', (a: number, b: number) => a | b],
      ['a ^ b', 'i32', (a: number, b: number) => a ^ b],
      ['a << b', 'i32', (a: number, b: number) => a << b],
      ['a >> b', 'i32', (a: number, b: number) => a >> b],
      ['a >>> b', 'u32', (a: number, b: number) => a >>> b],
      ['a >>> 0', 'u32', (a: number) => u32(a)],
      ['-a', 'i32', (a: number) => -a | 0],
      ['+a', 'i32', (a: number) => a],
      ['~a', 'i32', (a: number) => ~a],
      ['a ** b', 'f32', (a: number, b: number) => fround(fround(a) ** fround(b))],
      ['a + 1', 'i32', (a: number) => (a + 1) | 0],
      ['2 * a - 3', 'i32', (a: number) => (2 * a - 3) | 0],
      ['Math.trunc(a / 7)', 'i32', (a: number) => Math.trunc(a / 7) | 0],
      ['Math.floor(a / -7)', 'i32', (a: number) => Math.floor(a / -7) | 0],
      ['a % 7', 'i32', (a: number) => (a % 7) | 0],
      ['a << 33', 'i32', (a: number) => a << 33],
      ['a * 0.5', 'f32', (a: number) => fround(fround(a) * 0.5)],
      ...comparisons<number>()
    ]
  );
});

describe('u32', () => {
  check(
    'u32',
    [0, 1, 2, 3, 7, 31, 33, 255, 65_537, 2 ** 31 - 1, 2 ** 31, 2 ** 32 - 1, 2 ** 32 - 2],
    [
      ['a + b', 'u32', (a: number, b: number) => u32(a + b)],
      ['a - b', 'u32', (a: number, b: number) => u32(a - b)],
      ['a * b', 'u32', (a: number, b: number) => u32(imul(a, b))],
      ['b === 0 ? 0 : Math.trunc(a / b)', 'u32', (a: number, b: number) => (b === 0 ? 0 : Math.trunc(a / b))],
      ['b === 0 ? 0 : Math.floor(a / b)', 'u32', (a: number, b: number) => (b === 0 ? 0 : Math.floor(a / b))],
      ['Math.ceil(a / b)', 'u32', (a: number, b: number) => (b === 0 ? 2 ** 32 - 1 : Math.ceil(a / b))],
      ['b === 0 ? 0 : a % b', 'u32', (a: number, b: number) => (b === 0 ? 0 : a % b)],
      ['a & b', 'u32', (a: number, b: number) => u32(a & b)],
      ['(a & -2) ^ -1', 'u32', (a: number) => u32((a & -2) ^ -1)],
      ['Math.imul(a, -5)', 'u32', (a: number) => u32(imul(a, -5))],
      ['a | b', 'u32', (a: number, b: number) => u32(a | b)],
      ['a ^ b', 'u32', (a: number, b: number) => u32(a ^ b)],
      ['a << b', 'u32', (a: number, b: number) => u32(a << b)],
      ['a >> b', 'u32', (a: number, b: number) => a >>> b],
      ['a >>> b', 'u32', (a: number, b: number) => a >>> b],
      ['~a', 'u32', (a: number) => u32(~a)],
      ['-a', 'u32', (a: number) => u32(-a)],
      ['a + 4294967295', 'u32', (a: number) => u32(a - 1)],
      ['a * 0.5', 'f32', (a: number) => fround(fround(a) * 0.5)],
      ...comparisons<number>()
    ]
  );
});

describe.each([
  ['i64', i64, [0n, 1n, 2n, 7n, 63n, 65n, 2n ** 40n, 2n ** 63n - 1n, -(2n ** 63n), -1n, -2n, -7n]],
  ['u64', u64, [0n, 1n, 2n, 7n, 63n, 65n, 2n ** 40n, 2n ** 63n, 2n ** 64n - 1n]]
] as const)('%s', (type, wrap, values) => {
  check(type, values, [
    ['a + b', type, (a: bigint, b: bigint) => wrap(a + b)],
    ['a - b', type, (a: bigint, b: bigint) => wrap(a - b)],
    ['a * b', type, (a: bigint, b: bigint) => wrap(a * b)],
    ['b === 0n ? 0n : a / b', type, (a: bigint, b: bigint) => (b === 0n ? 0n : wrap(a / b))],
    ['b === 0n ? 0n : a % b', type, (a: bigint, b: bigint) => (b === 0n ? 0n : wrap(a % b))],
    ['a & b', type, (a: bigint, b: bigint) => wrap(a & b)],
    ['a | b', type, (a: bigint, b: bigint) => wrap(a | b)],
    ['a ^ b', type, (a: bigint, b: bigint) => wrap(a ^ b)],
    ['a << b', type, (a: bigint, b: bigint) => wrap(a << (b & 63n))],
    ['a >> b', type, (a: bigint, b: bigint) => wrap(a >> (b & 63n))],
    ['~a', type, (a: bigint) => wrap(~a)],
    ['-a', type, (a: bigint) => wrap(-a)],
    ['a + 1n', type, (a: bigint) => wrap(a + 1n)],
    ['a / 3n', type, (a: bigint) => wrap(a / 3n)],
    ...comparisons<bigint>()
  ]);
});

const FLOATS = [0, -0, 1, -1, 0.1, -0.1, 2.5, -2.5, 1e-45, 3e38, -3e38, 16_777_217, Infinity, -Infinity, NaN];

describe.each([
  ['f32', fround],
  ['f64', (value: number) => value]
] as const)('%s', (type, round) => {
  check(type, FLOATS.map(round), [
    ['a + b', type, (a: number, b: number) => round(a + b)],
    ['a - b', type, (a: number, b: number) => round(a - b)],
    ['a * b', type, (a: number, b: number) => round(a * b)],
    ['a / b', type, (a: number, b: number) => round(a / b)],
    ['a % b', type, (a: number, b: number) => round(a % b)],
    ['-a', type, (a: number) => -a],
    ['a + 1', type, (a: number) => round(a + 1)],
    ['a * 0.1', type, (a: number) => round(a * round(0.1))],
    ['1 / a', type, (a: number) => round(1 / a)],
    ['a * b + a', type, (a: number, b: number) => round(round(a * b) + a)],
    ['a > b ? a : b', type, (a: number, b: number) => (a > b ? a : b)],
    ...comparisons<number>()
  ]);
});

describe('bool', () => {
  check(
    'bool',
    [false, true],
    [
      ['a && b', 'bool', (a: boolean, b: boolean) => a && b],
      ['a || b', 'bool', (a: boolean, b: boolean) => a || b],
      ['!a', 'bool', (a: boolean) => !a],
      ['a === b', 'bool', (a: boolean, b: boolean) => a === b],
      ['a !== b', 'bool', (a: boolean, b: boolean) => a !== b],
      ['a & b', 'bool', (a: boolean, b: boolean) => a && b],
      ['a | b', 'bool', (a: boolean, b: boolean) => a || b],
      ['a ^ b', 'bool', (a: boolean, b: boolean) => a !== b],
      ['a ? 1 : 2', 'i32', (a: boolean) => (a ? 1 : 2)]
    ]
  );
});

test.each([
  ['i32 and f32 meet in f32', 'a * b', 'f32', ['i32', [16_777_217, 3]], ['f32', [1, 0.5]], [16_777_216, 1.5]],
  [
    'u32 and f32 meet in f32',
    'a * b',
    'f32',
    ['u32', [4_294_967_295, 3]],
    ['f32', [1, 0.5]],
    [4_294_967_296, 1.5]
  ],
  [
    'i32 and f64 meet in f64',
    'a + b',
    'f64',
    ['i32', [2_147_483_647, 3]],
    ['f64', [0.5, 0.1]],
    [2_147_483_647.5, 3.1]
  ],
  [
    'f32 and f64 meet in f64',
    'a + b',
    'f64',
    ['f32', [fround(0.1), 1]],
    ['f64', [0, 1e-10]],
    [fround(0.1), 1 + 1e-10]
  ],
  ['i8 and u16 need a cast', 'a + i32(b)', 'i32', ['i8', [-128, 127]], ['u16', [65_535, 1]], [65_407, 128]],
  [
    'f16 and bf16 compute as f32',
    'a + b',
    'f32',
    ['f16', [0.0999755859375, 1]],
    ['bf16', [1, 256]],
    [fround(1.0999755859375), 257]
  ]
] as const)('%s', (_, expression, result, a, b, expected) => {
  expect(elementwise(expression, result, [a, b])).toEqual(expected);
});
