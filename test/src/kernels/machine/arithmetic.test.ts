/** Arithmetic of the simulated machine, of each type, compared with JavaScript. */

import type { BinaryOperation, UnaryOperation } from '../../../../src/kernels/program/program.ts';
import { ELEMENTS, isInteger, type ValueType } from '../../../../src/kernels/program/types.ts';
import type { Value } from '../../../native/compute/support.ts';
import * as b from './build-program.ts';
import { run } from './run-program.ts';

type Number_ = number | bigint;
type Rule = (x: Number_, y: Number_) => Number_ | boolean;

const bits = (type: ValueType): number => 8 * ELEMENTS[type].bytes;
const signed = (type: ValueType): boolean => type === 'i32' || type === 'i64';
/** An integer of any size as a value of a type. */
function wrap(type: ValueType, value: bigint): Number_ {
  const wrapped = signed(type) ? BigInt.asIntN(bits(type), value) : BigInt.asUintN(bits(type), value);
  return bits(type) === 64 ? wrapped : Number(wrapped);
}
const big = (value: Number_): bigint => BigInt(value);

function unaryKernel(
  operation: UnaryOperation,
  type: ValueType,
  result: ValueType,
  values: readonly Value[]
): Value[] {
  const at = b.builder();
  const [x, out] = [at.array('x', type), at.array('out', result)];
  const program = at.program([b.store(out, b.tid, b.unary(operation, b.load(x, b.tid), result))]);
  return run(
    program,
    { block: values.length },
    values,
    values.map(() => zero(result))
  )[1] as Value[];
}
const zero = (type: ValueType): Value =>
  type === 'bool' ? false : bits(type) === 64 && isInteger(type) ? 0n : 0;

function binaryKernel(
  operation: BinaryOperation,
  type: ValueType,
  pairs: readonly (readonly [Value, Value])[]
): Value[] {
  const at = b.builder();
  const [x, y] = [at.array('x', type), at.array('y', type)];
  const value = b.binary(operation, b.load(x, b.globalId), b.load(y, b.globalId));
  const out = at.array('out', value.type);
  const program = at.program([b.when(b.less(b.globalId, b.extent(x)), [b.store(out, b.globalId, value)])]);
  const shape = { grid: Math.ceil(pairs.length / 64), block: 64 };
  const [left, right] = [pairs.map(([a]) => a), pairs.map(([, c]) => c)];
  return run(
    program,
    shape,
    left,
    right,
    pairs.map(() => zero(value.type))
  )[2] as Value[];
}

const INTEGERS = ['i32', 'u32', 'i64', 'u64'] as const;
const FLOATS = ['f32', 'f64'] as const;

describe.each(INTEGERS)('%s', type => {
  const least = signed(type) ? -(1n << BigInt(bits(type) - 1)) : 0n;
  const most = least + (1n << BigInt(bits(type))) - 1n;
  const values = [
    0n,
    1n,
    2n,
    3n,
    7n,
    31n,
    33n,
    255n,
    65_537n,
    most,
    most - 1n,
    least,
    least + 1n,
    -1n,
    -2n,
    -7n
  ].map(value => wrap(type, value));
  const pairs = values.flatMap(x => values.map(y => [x, y] as const));
  const floor = (x: bigint, y: bigint): bigint => x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n);
  const rules: readonly [BinaryOperation, Rule][] = [
    ['add', (x, y) => wrap(type, big(x) + big(y))],
    ['subtract', (x, y) => wrap(type, big(x) - big(y))],
    ['multiply', (x, y) => wrap(type, big(x) * big(y))],
    ['divide', (x, y) => wrap(type, big(y) === 0n ? -1n : big(x) / big(y))],
    ['floorDivide', (x, y) => wrap(type, big(y) === 0n ? -1n : floor(big(x), big(y)))],
    ['remainder', (x, y) => wrap(type, big(y) === 0n ? big(x) : big(x) % big(y))],
    ['and', (x, y) => wrap(type, big(x) & big(y))],
    ['or', (x, y) => wrap(type, big(x) | big(y))],
    ['xor', (x, y) => wrap(type, big(x) ^ big(y))],
    ['shiftLeft', (x, y) => wrap(type, big(x) << BigInt.asUintN(Math.log2(bits(type)), big(y)))],
    ['shiftRight', (x, y) => wrap(type, big(x) >> BigInt.asUintN(Math.log2(bits(type)), big(y)))],
    ['min', (x, y) => (x < y ? x : y)],
    ['max', (x, y) => (x > y ? x : y)],
    ['multiplyHigh', (x, y) => wrap(type, (big(x) * big(y)) >> BigInt(bits(type)))],
    ['equal', (x, y) => x === y],
    ['notEqual', (x, y) => x !== y],
    ['less', (x, y) => x < y],
    ['lessEqual', (x, y) => x <= y],
    ['greater', (x, y) => x > y],
    ['greaterEqual', (x, y) => x >= y]
  ];
  test.each(rules)('%s', (operation, rule) => {
    expect(binaryKernel(operation, type, pairs)).toEqual(pairs.map(([x, y]) => rule(x, y)));
  });

  const binaryText = (x: Number_): string => BigInt.asUintN(bits(type), big(x)).toString(2);
  const unary: readonly [UnaryOperation, ValueType, (x: Number_) => Number_][] = [
    ['negate', type, x => wrap(type, -big(x))],
    ['invert', type, x => wrap(type, ~big(x))],
    ['abs', type, x => wrap(type, big(x) < 0n ? -big(x) : big(x))],
    ['sign', type, x => wrap(type, big(x) > 0n ? 1n : big(x) < 0n ? -1n : 0n)],
    ['popc', 'i32', x => [...binaryText(x)].filter(bit => bit === '1').length],
    ['clz', 'i32', x => (big(x) === 0n ? bits(type) : bits(type) - binaryText(x).length)],
    ['ffs', 'i32', x => (big(x) === 0n ? 0 : binaryText(x).length - binaryText(x).lastIndexOf('1'))],
    [
      'brev',
      type,
      x => wrap(type, BigInt(`0b${[...binaryText(x).padStart(bits(type), '0')].reverse().join('')}`))
    ]
  ];
  test.each(unary)('%s', (operation, result, rule) => {
    expect(unaryKernel(operation, type, result, values)).toEqual(values.map(rule));
  });
});

describe.each(FLOATS)('%s', type => {
  const round = type === 'f32' ? Math.fround : (value: number) => value;
  const values = [
    0,
    -0,
    0.5,
    -0.5,
    1,
    -1,
    1.5,
    2.5,
    -2.5,
    1e10,
    0.1,
    7,
    -7,
    1e-40,
    NaN,
    Infinity,
    -Infinity
  ].map(round);
  const pairs = values.flatMap(x => values.map(y => [x, y] as const));
  const exact: readonly [BinaryOperation, (x: number, y: number) => number | boolean][] = [
    ['add', (x, y) => round(x + y)],
    ['subtract', (x, y) => round(x - y)],
    ['multiply', (x, y) => round(x * y)],
    ['divide', (x, y) => round(x / y)],
    ['remainder', (x, y) => round(x % y)],
    ['min', Math.min],
    ['max', Math.max],
    ['copysign', (x, y) => (y < 0 || Object.is(y, -0) ? -Math.abs(x) : Math.abs(x))],
    ['equal', (x, y) => x === y],
    ['notEqual', (x, y) => x !== y],
    ['less', (x, y) => x < y],
    ['greaterEqual', (x, y) => x >= y]
  ];
  test.each(exact)('%s', (operation, rule) => {
    const got = binaryKernel(operation, type, pairs);
    pairs.forEach(([x, y], index) => {
      // The sign of NaN has no meaning.
      expect([x, y, got[index]]).toEqual([x, y, rule(x, y)]);
    });
  });

  const rint = (x: number): number => {
    if (!Number.isFinite(x) || Math.abs(x) > 2 ** 52) return x;
    const even = 2 * Math.round(x / 2);
    const rounded = Math.abs(x - Math.trunc(x)) === 0.5 ? even : Math.round(x);
    return rounded === 0 && (x < 0 || Object.is(x, -0)) ? -0 : rounded;
  };
  const exactUnary: readonly [UnaryOperation, (x: number) => number][] = [
    ['negate', x => -x],
    ['abs', Math.abs],
    ['sign', Math.sign],
    ['floor', Math.floor],
    ['ceil', Math.ceil],
    ['trunc', Math.trunc],
    ['rint', rint],
    ['sqrt', x => round(Math.sqrt(x))],
    ['rsqrt', x => round(1 / round(Math.sqrt(x)))]
  ];
  test.each(exactUnary)('%s', (operation, rule) => {
    const got = unaryKernel(operation, type, type, values);
    expect(got.map((value, index) => [values[index], value])).toEqual(values.map(x => [x, rule(x)]));
  });

  const lgamma = new Map([
    [0.5, 0.5723649429247001],
    [1, 0],
    [1.5, -0.12078223763524522],
    [2.5, 0.2846828704729192],
    [7, 6.579251212010101]
  ]);
  const close: readonly [UnaryOperation, (x: number) => number][] = [
    ['cbrt', Math.cbrt],
    ['exp', Math.exp],
    ['exp2', x => 2 ** x],
    ['expm1', Math.expm1],
    ['log', Math.log],
    ['log2', Math.log2],
    ['log10', Math.log10],
    ['log1p', Math.log1p],
    ['sin', Math.sin],
    ['cos', Math.cos],
    ['tan', Math.tan],
    ['atan', Math.atan],
    ['sinh', Math.sinh],
    ['cosh', Math.cosh],
    ['tanh', Math.tanh],
    ['asinh', Math.asinh],
    ['lgamma', x => lgamma.get(x) as number],
    ['tgamma', x => Math.exp(lgamma.get(x) as number)]
  ];
  test.each(close)('%s', (operation, rule) => {
    const some = [...lgamma.keys()];
    const got = unaryKernel(operation, type, type, some) as number[];
    got.forEach((value, index) => {
      const wanted = rule(some[index] as number);
      expect(Math.abs(value - wanted)).toBeLessThanOrEqual(
        Math.abs(wanted) * (type === 'f32' ? 1e-6 : 1e-14)
      );
    });
  });
  test('functions with a bounded domain, of two operands, and the error function', () => {
    const got = (operation: UnaryOperation, x: number) =>
      unaryKernel(operation, type, type, [x])[0] as number;
    const digits = type === 'f32' ? 6 : 13;
    expect(got('asin', 0.5)).toBeCloseTo(Math.asin(0.5), digits);
    expect(got('acos', 0.5)).toBeCloseTo(Math.acos(0.5), digits);
    expect(got('acosh', 1.5)).toBeCloseTo(Math.acosh(1.5), digits);
    expect(got('atanh', 0.5)).toBeCloseTo(Math.atanh(0.5), digits);
    expect(got('erf', 0.5)).toBeCloseTo(0.5204998778130465, digits);
    expect(got('erfc', 0.5)).toBeCloseTo(0.4795001221869535, digits);
    const two = (operation: BinaryOperation, x: number, y: number) =>
      binaryKernel(operation, type, [[x, y]])[0];
    expect(two('pow', 2.5, 3)).toBeCloseTo(15.625, digits);
    expect(two('atan2', 1, -2)).toBeCloseTo(Math.atan2(1, -2), digits);
    expect(two('hypot', 3, 4)).toBe(5);
  });

  test('tests, bits and back', () => {
    expect(unaryKernel('isnan', type, 'bool', values)).toEqual(values.map(Number.isNaN));
    expect(unaryKernel('isinf', type, 'bool', values)).toEqual(values.map(x => Math.abs(x) === Infinity));
    expect(unaryKernel('isfinite', type, 'bool', values)).toEqual(values.map(Number.isFinite));
    const whole = type === 'f32' ? 'i32' : 'i64';
    const numbers = values.filter(x => !Number.isNaN(x));
    const view = new DataView(new ArrayBuffer(8));
    const codes = numbers.map(x => {
      if (type === 'f32') view.setFloat32(0, x);
      else view.setFloat64(0, x);
      return type === 'f32' ? view.getInt32(0) : view.getBigInt64(0);
    });
    expect(unaryKernel('bits', type, whole, numbers)).toEqual(codes);
    expect(unaryKernel('bits', whole, type, codes)).toEqual(numbers);
  });
});

test('f32 arithmetic rounds each operation, and fma only once', () => {
  const at = b.builder();
  const [x, out] = [at.array('x', 'f32'), at.array('out', 'f32')];
  const [a, c] = [b.load(x, 0), b.load(x, 1)];
  const program = at.program([b.store(out, 0, b.add(b.multiply(a, a), c)), b.store(out, 1, b.fma(a, a, c))]);
  const [one, minus] = [Math.fround(1 + 2 ** -12), -Math.fround((1 + 2 ** -12) ** 2)];
  const [, result] = run(program, {}, [one, minus], [0, 0]);
  expect(result).toEqual([0, one * one + minus]);
  expect(one * one + minus).not.toBe(0);
});

describe('conversions', () => {
  function converted(from: ValueType, to: ValueType, values: readonly Value[]): Value[] {
    const at = b.builder();
    const [x, out] = [at.array('x', from), at.array('out', to)];
    const program = at.program([b.store(out, b.tid, b.convert(to, b.load(x, b.tid)))]);
    return run(
      program,
      { block: values.length },
      values,
      values.map(() => zero(to))
    )[1] as Value[];
  }
  const floats = [
    0,
    -0.9,
    0.9,
    -1.5,
    2.5,
    3e9,
    -3e9,
    5e9,
    1e19,
    -1e19,
    2e19,
    1e30,
    -1e30,
    NaN,
    Infinity,
    -Infinity
  ];
  test.each(FLOATS.flatMap(from => INTEGERS.map(to => [from, to] as const)))(
    '%s to %s saturates',
    (from, to) => {
      const given = floats.map(from === 'f32' ? Math.fround : x => x);
      const least = signed(to) ? -(1n << BigInt(bits(to) - 1)) : 0n;
      const most = least + (1n << BigInt(bits(to))) - 1n;
      const rule = (x: number): Number_ => {
        if (Number.isNaN(x)) return wrap(to, 0n);
        if (x >= Number(most)) return wrap(to, most);
        return wrap(to, x <= Number(least) ? least : BigInt(Math.trunc(x)));
      };
      expect(converted(from, to, given)).toEqual(given.map(rule));
    }
  );
  test.each(INTEGERS.flatMap(from => INTEGERS.filter(to => to !== from).map(to => [from, to] as const)))(
    '%s to %s wraps',
    (from, to) => {
      const given = [0n, 5n, -1n, -5n, 1n << 31n, (1n << 63n) + 3n, 1n << 40n].map(x => wrap(from, x));
      expect(converted(from, to, given)).toEqual(given.map(x => wrap(to, big(x))));
    }
  );
  test.each(INTEGERS)('%s to floats rounds once', from => {
    const given = [0n, 16_777_217n, -1n, (1n << 53n) + 1n, (1n << 62n) + (1n << 38n) + 1n].map(x =>
      wrap(from, x)
    );
    expect(converted(from, 'f64', given)).toEqual(given.map(Number));
    const nearest = (x: bigint): number => {
      const size = (x < 0n ? -x : x).toString(2).length;
      const step = 1n << BigInt(Math.max(0, size - 24));
      const [down, rest] = [x / step, x % step];
      const up = 2n * rest > step || (2n * rest === step && down % 2n === 1n) ? 1n : 0n;
      return Number((down + up) * step);
    };
    expect(converted(from, 'f32', given)).toEqual(given.map(x => nearest(big(x))));
  });
  test('to bool compares with 0, and from bool gives 0 and 1', () => {
    expect(converted('f32', 'bool', [0, -0, 0.5, NaN])).toEqual([false, false, true, true]);
    expect(converted('i64', 'bool', [0n, 1n << 32n])).toEqual([false, true]);
    for (const to of ['i32', 'u32', 'f32', 'f64'] as const)
      expect(converted('bool', to, [false, true])).toEqual([0, 1]);
    expect(converted('bool', 'u64', [false, true])).toEqual([0n, 1n]);
  });
  test('narrow rounds to an element type and back', () => {
    const at = b.builder();
    const out = at.array('out', 'f64');
    const wide = (value: ReturnType<typeof b.f32>) => b.convert('f64', value);
    const program = at.program([
      b.store(out, 0, wide(b.narrow('f16', b.f32(1 / 3)))),
      b.store(out, 1, wide(b.narrow('bf16', b.f32(1 / 3)))),
      b.store(out, 2, wide(b.narrow('i8', b.constant('i32', 200)))),
      b.store(out, 3, wide(b.narrow('u16', b.constant('u32', 65_537)))),
      b.store(out, 4, wide(b.narrow('f32', b.f32(0.1))))
    ]);
    expect(run(program, {}, [0, 0, 0, 0, 0])).toEqual([
      [0.333251953125, 0.333984375, -56, 1, Math.fround(0.1)]
    ]);
  });
});

test('bools: not, and, or, xor, select', () => {
  const at = b.builder();
  const [x, y, out] = [at.array('x', 'bool'), at.array('y', 'bool'), at.array('out', 'i32')];
  const [p, q] = [b.load(x, b.tid), b.load(y, b.tid)];
  const bit = (value: typeof p, weight: number) => b.multiply(b.convert('i32', value), weight);
  const sum = [
    bit(b.unary('not', p), 1),
    bit(b.binary('and', p, q), 2),
    bit(b.binary('or', p, q), 4),
    bit(b.binary('xor', p, q), 8),
    bit(b.select(p, b.constant('bool', true), b.unary('not', q)), 16),
    bit(b.logical('and', b.unary('not', p), b.unary('not', q)), 32)
  ].reduce((left, right) => b.add(left, right));
  const program = at.program([b.store(out, b.tid, sum)]);
  const [, , result] = run(
    program,
    { block: 4 },
    [false, false, true, true],
    [false, true, false, true],
    [0, 0, 0, 0]
  );
  expect(result).toEqual([1 + 16 + 32, 1 + 4 + 8, 4 + 8 + 16, 2 + 4 + 16]);
});

test('constants and scalar arguments of each type', () => {
  const at = b.builder();
  const types = ['bool', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'] as const;
  const given = [true, -5, 4_000_000_000, -(1n << 60n), (1n << 64n) - 1n, 0.5, 0.1];
  const scalars = types.map(type => at.scalar(type, type));
  const outs = types.map(type => at.array(`out_${type}`, type));
  const program = at.program(
    types.flatMap((type, index) => [
      b.store(outs[index] as b.BuiltArray, 0, scalars[index] as ReturnType<typeof b.f32>),
      b.store(outs[index] as b.BuiltArray, 1, b.constant(type, given[index] as number))
    ])
  );
  const results = run(program, {}, ...given, ...types.map(type => [zero(type), zero(type)]));
  expect(results).toEqual(given.map(value => [value, value]));
});
