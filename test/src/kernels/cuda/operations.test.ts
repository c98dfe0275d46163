/** Operations, conversions and constants as CUDA C++. */

import type { BinaryOperation, Expression, UnaryOperation } from '../../../../src/kernels/program/program.ts';
import { ELEMENTS, type ElementType, type ValueType } from '../../../../src/kernels/program/types.ts';
import * as b from '../machine/build-program.ts';
import { bodyOf, named, variable } from './emitting.ts';

/** Returns the text of an expression: the value of an assignment to a variable of its type. */
function textOf(value: Expression): string {
  const [line] = bodyOf([b.assign(variable('r', value.type), value)]);
  return /^r = (.*);$/.exec(line!)![1]!;
}

describe('arithmetic', () => {
  const types: readonly ValueType[] = ['bool', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'];
  const [a, c] = ['a', 'c'].map(name => Object.fromEntries(types.map(type => [type, named(name, type)]))) as [
    Record<ValueType, Expression>,
    Record<ValueType, Expression>
  ];

  const [x, y] = [named('x', 'bool'), named('y', 'bool')];

  test.each<[BinaryOperation, ValueType, string]>([
    ['add', 'f32', 'a + c'],
    ['add', 'u32', 'a + c'],
    ['add', 'i32', '(unsigned)a + c'],
    ['subtract', 'i64', '(unsigned long long)a - c'],
    ['multiply', 'i32', '(unsigned)a * c'],
    ['divide', 'f64', 'a / c'],
    ['divide', 'i32', 'quotient(a, c)'],
    ['divide', 'u64', 'quotient(a, c)'],
    ['floorDivide', 'i32', 'floorQuotient(a, c)'],
    ['floorDivide', 'u32', 'quotient(a, c)'],
    ['remainder', 'f32', 'fmodf(a, c)'],
    ['remainder', 'f64', 'fmod(a, c)'],
    ['remainder', 'i64', 'remainderOf(a, c)'],
    ['and', 'bool', 'a & c'],
    ['xor', 'i32', 'a ^ c'],
    ['shiftLeft', 'i32', '(unsigned)a << (c & 31)'],
    ['shiftLeft', 'u64', 'a << (c & 63)'],
    ['shiftRight', 'i64', 'a >> (c & 63)'],
    ['min', 'i32', 'min(a, c)'],
    ['min', 'f32', 'least(a, c)'],
    ['max', 'f64', 'greatest(a, c)'],
    ['pow', 'f32', 'powf(a, c)'],
    ['atan2', 'f64', 'atan2(a, c)'],
    ['multiplyHigh', 'i32', '__mulhi(a, c)'],
    ['multiplyHigh', 'u32', '__umulhi(a, c)'],
    ['multiplyHigh', 'i64', '__mul64hi(a, c)'],
    ['multiplyHigh', 'u64', '__umul64hi(a, c)'],
    ['less', 'i32', 'a < c'],
    ['notEqual', 'f32', 'a != c']
  ])('%s of %s', (operation, type, text) => {
    expect(textOf(b.binary(operation, a[type], c[type]))).toBe(text);
  });

  test.each<[UnaryOperation, ValueType, ValueType, string]>([
    ['negate', 'f32', 'f32', '-a'],
    ['negate', 'i32', 'i32', '0u - a'],
    ['negate', 'u32', 'u32', '-a'],
    ['not', 'bool', 'bool', '!a'],
    ['invert', 'u64', 'u64', '~a'],
    ['abs', 'f64', 'f64', 'fabs(a)'],
    ['abs', 'i64', 'i64', 'absolute(a)'],
    ['abs', 'u32', 'u32', 'a'],
    ['sign', 'f32', 'f32', 'signOf(a)'],
    ['sign', 'u32', 'u32', '(unsigned)(a != 0u)'],
    ['sqrt', 'f32', 'f32', 'sqrtf(a)'],
    ['rint', 'f64', 'f64', 'rint(a)'],
    ['isnan', 'f32', 'bool', 'isnan(a)'],
    ['popc', 'u32', 'i32', '__popc(a)'],
    ['clz', 'i64', 'i32', '__clzll(a)'],
    ['ffs', 'i32', 'i32', '__ffs(a)'],
    ['brev', 'u64', 'u64', '__brevll(a)'],
    ['bits', 'f32', 'i32', '__float_as_int(a)'],
    ['bits', 'u32', 'f32', '__uint_as_float(a)'],
    ['bits', 'u64', 'f64', '__longlong_as_double(a)']
  ])('%s of %s', (operation, type, result, text) => {
    expect(textOf(b.unary(operation, a[type], result))).toBe(text);
  });

  test.each<[ValueType, ValueType, string]>([
    ['f32', 'i32', '__float2int_rz(a)'],
    ['f32', 'u32', '__float2uint_rz(a)'],
    ['f64', 'i32', 'toInt(a)'],
    ['f64', 'u32', 'toUnsigned(a)'],
    ['f32', 'i64', 'toLong(a)'],
    ['f64', 'u64', 'toUnsignedLong(a)'],
    ['i64', 'f32', '(float)a'],
    ['f64', 'f32', '(float)a'],
    ['i32', 'u32', '(unsigned)a'],
    ['i32', 'i64', '(long long)a'],
    ['bool', 'f32', '(float)a'],
    ['f64', 'bool', 'a != 0.0'],
    ['i64', 'bool', 'a != 0ll'],
    ['i32', 'i32', 'a']
  ])('%s as %s', (from, to, text) => {
    expect(textOf(b.convert(to, a[from]))).toBe(text);
  });

  test.each<[ElementType, string]>([
    ['i8', '(int)(signed char)a'],
    ['u8', '(unsigned)(unsigned char)a'],
    ['i16', '(int)(short)a'],
    ['u16', '(unsigned)(unsigned short)a'],
    ['f16', 'fromF16(toF16(a))'],
    ['bf16', 'fromBf16(toBf16(a))'],
    ['f32', 'a']
  ])('rounds to %s', (element, text) => {
    expect(textOf(b.narrow(element, a[ELEMENTS[element].value]))).toBe(text);
  });

  test.each<[string, Expression, string]>([
    ['a product of sums', b.multiply(b.add(a.f32, c.f32), b.add(a.f32, c.f32)), '(a + c) * (a + c)'],
    ['a sum on the right', b.binary('subtract', a.f32, b.binary('subtract', a.f32, c.f32)), 'a - (a - c)'],
    ['a sum on the left', b.binary('subtract', b.binary('subtract', a.f32, c.f32), c.f32), 'a - c - c'],
    ['two signs', b.unary('negate', b.unary('negate', a.f32)), '-(-a)'],
    ['the sign of a negative number', b.unary('negate', b.f32(-1)), '-(-1.0f)'],
    ['bits in a comparison', b.equal(b.binary('and', a.u32, c.u32), b.constant('u32', 1)), '(a & c) == 1u'],
    ['comparisons', b.logical('and', b.less(a.i32, 1), b.logical('or', x, c.bool)), 'a < 1 && (x || c)'],
    ['a choice', b.add(b.select(x, a.f32, c.f32), b.f32(1)), '(x ? a : c) + 1.0f'],
    [
      'a choice in a choice',
      b.select(b.select(x, x, y), a.f32, b.select(y, a.f32, c.f32)),
      '(x ? x : y) ? a : y ? a : c'
    ],
    ['a cast of a sum', b.convert('f32', b.add(a.u32, c.u32)), '(float)(a + c)'],
    ['a product with one rounding', b.fma(a.f32, c.f32, b.f32(1)), 'fmaf(a, c, 1.0f)'],
    [
      'an unsigned sum that wraps',
      b.add(b.add(a.i32, c.i32), b.constant('i32', -1)),
      '(unsigned)a + c + (unsigned)-1'
    ],
    ['a sum that wraps in a comparison', b.less(b.add(a.i32, 1), c.i32), '(int)(a + 1u) < c'],
    ['a sum that wraps as a wider number', b.convert('i64', b.add(a.i32, 1)), '(long long)(int)(a + 1u)'],
    ['a sum that wraps as an unsigned number', b.convert('u32', b.add(a.i32, 1)), 'a + 1u'],
    ['the index of a thread in a comparison', b.less(b.tid, c.i32), '(int)threadIdx.x < c'],
    ['a divisor that needs no care', b.binary('remainder', a.i32, b.constant('i32', 7)), 'a % 7'],
    ['a divisor of -1', b.binary('divide', a.i32, b.constant('i32', -1)), 'quotient(a, -1)'],
    ['a divisor of 0', b.binary('remainder', a.i64, b.constant('i64', 0n)), 'remainderOf(a, 0ll)'],
    ['a count beyond the bits', b.binary('shiftRight', a.i32, b.constant('i32', 35)), 'a >> 3']
  ])('%s', (_, value, text) => {
    expect(textOf(value)).toBe(text);
  });

  test.each<[ValueType, number | bigint | boolean, string]>([
    ['bool', true, 'true'],
    ['i32', -7, '-7'],
    ['i32', -(2 ** 31), '-2147483647 - 1'],
    ['u32', 2 ** 32 - 1, '4294967295u'],
    ['i64', -(2n ** 63n), '-9223372036854775807ll - 1'],
    ['u64', 2n ** 64n - 1n, '18446744073709551615ull'],
    ['f32', 1, '1.0f'],
    ['f32', -0, '-0.0f'],
    ['f32', Math.fround(0.1), '0.1f'],
    ['f32', 16777217, '16777216.0f'],
    ['f32', 2 ** -149, '1e-45f'],
    ['f32', 1e39, '__int_as_float(0x7f800000)'],
    ['f32', NaN, '__int_as_float(0x7fc00000)'],
    ['f64', 0.1, '0.1'],
    ['f64', 1e300, '1e+300'],
    ['f64', -Infinity, '-__longlong_as_double(0x7ff0000000000000ll)'],
    ['f64', NaN, '__longlong_as_double(0x7ff8000000000000ll)']
  ])('the constant of %s %s', (type, value, text) => {
    expect(textOf(b.constant(type, value))).toBe(text);
  });

  test('float32 constants mean exactly their number', () => {
    const words = new Uint32Array(2000).map((_, index) => Math.imul(index, 0x9e3779b9) & 0xff7fffff);
    const numbers = [...new Float32Array(words.buffer)].filter(Number.isFinite);
    const read = numbers.map(number => Math.fround(Number.parseFloat(textOf(b.f32(number)))));
    expect(read).toEqual(numbers);
  });

  test('changes a variable in place', () => {
    const n = variable('n', 'i32');
    const s = variable('s', 'f64');
    const y = named('y', 'f64');
    const values = [
      b.assign(n, b.add(b.use(n), a.i32)),
      b.assign(n, b.binary('subtract', a.i32, b.use(n))),
      b.assign(n, b.binary('xor', b.use(n), a.i32)),
      b.assign(n, b.binary('divide', b.use(n), b.constant('i32', 3))),
      b.assign(s, b.binary('divide', b.use(s), y))
    ];
    expect(bodyOf(values)).toEqual([
      'n += (unsigned)a;',
      'n = (unsigned)a - n;',
      'n ^= a;',
      'n = n / 3;',
      's /= y;'
    ]);
  });
});
