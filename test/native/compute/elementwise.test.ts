/** Every opcode on integers, booleans and complex numbers, and casts, compared with JavaScript. */

import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import type { Opcode } from '../../../src/compute/program/instructions.ts';
import { dtypes } from '../../../src/dtype/dtype.ts';
import { run, type Value } from './support.ts';

const INTEGERS = ['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'] as const;
const bitsOf = (type: ElementTypeName): number => dtypes[type].bits;
const wrap = (type: ElementTypeName, value: bigint): number | bigint => {
  const wrapped =
    dtypes[type].kind === 'i' ? BigInt.asIntN(bitsOf(type), value) : BigInt.asUintN(bitsOf(type), value);
  return bitsOf(type) === 64 ? wrapped : Number(wrapped);
};
describe('integers', () => {
  const floorDivide = (x: bigint, y: bigint): bigint =>
    y === 0n ? 0n : x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n);
  const power = (x: bigint, y: bigint): bigint =>
    y >= 0n ? x ** y : x === 1n ? 1n : x === -1n ? (y % 2n === 0n ? 1n : -1n) : 0n;
  const shift = (x: bigint, y: bigint, bits: number, left: boolean): bigint => {
    const by = y < 0n || y >= BigInt(bits) ? BigInt(bits) : y;
    return left ? x << by : x >> by;
  };
  const binary: readonly [Opcode, (x: bigint, y: bigint, type: ElementTypeName) => bigint][] = [
    ['add', (x, y) => x + y],
    ['subtract', (x, y) => x - y],
    ['multiply', (x, y) => x * y],
    ['floor_divide', floorDivide],
    ['remainder', (x, y) => (y === 0n ? 0n : x - y * floorDivide(x, y))],
    ['pow', power],
    ['minimum', (x, y) => (x < y ? x : y)],
    ['maximum', (x, y) => (x > y ? x : y)],
    ['bitwise_and', (x, y) => x & y],
    ['bitwise_or', (x, y) => x | y],
    ['bitwise_xor', (x, y) => x ^ y],
    ['bitwise_left_shift', (x, y, type) => shift(x, y, bitsOf(type), true)],
    ['bitwise_right_shift', (x, y, type) => shift(x, y, bitsOf(type), false)]
  ];
  const unary: readonly [Opcode, (x: bigint) => bigint][] = [
    ['negative', x => -x],
    ['abs', x => (x < 0n ? -x : x)],
    ['sign', x => (x > 0n ? 1n : x < 0n ? -1n : 0n)],
    ['square', x => x * x],
    ['reciprocal', x => (x === 1n || x === -1n ? x : 0n)],
    ['bitwise_invert', x => ~x],
    ['floor', x => x],
    ['round', x => x],
    ['real', x => x],
    ['imag', () => 0n],
    ['conj', x => x]
  ];
  const tests: readonly [Opcode, (x: bigint, y: bigint) => boolean][] = [
    ['equal', (x, y) => x === y],
    ['not_equal', (x, y) => x !== y],
    ['less', (x, y) => x < y],
    ['less_equal', (x, y) => x <= y],
    ['greater', (x, y) => x > y],
    ['greater_equal', (x, y) => x >= y],
    ['logical_and', (x, y) => x !== 0n && y !== 0n],
    ['logical_or', (x, y) => x !== 0n || y !== 0n],
    ['logical_xor', (x, y) => (x !== 0n) !== (y !== 0n)]
  ];
  const single: readonly [Opcode, (x: bigint) => boolean][] = [
    ['isnan', () => false],
    ['isinf', () => false],
    ['isfinite', () => true],
    ['signbit', x => x < 0n],
    ['logical_not', x => x === 0n]
  ];

  test.each(INTEGERS)('of %s wrap, divide to the floor and compare', type => {
    const signed = dtypes[type].kind === 'i';
    const least = signed ? -(1n << BigInt(bitsOf(type) - 1)) : 0n;
    const most = least + (1n << BigInt(bitsOf(type))) - 1n;
    const some = [
      least,
      least + 1n,
      0n,
      1n,
      2n,
      3n,
      7n,
      11n,
      63n,
      most - 1n,
      most,
      ...(signed ? [-1n, -2n, -7n] : [200n, 31n])
    ];
    const pairs = some.flatMap(x => some.map(y => [x, y] as const));
    const values = (part: readonly bigint[]): Value[] => part.map(value => wrap(type, value));
    const [x, y] = [pairs.map(([left]) => left), pairs.map(([, right]) => right)];
    for (const [opcode, rule] of binary) {
      // bigint cannot compute larger powers; the wrapped exponent uses the same code.
      const right = opcode === 'pow' ? y.map(value => (value > 64n ? value % 64n : value)) : y;
      const expected = x.map((value, index) => wrap(type, rule(value, right[index] as bigint, type)));
      expect([opcode, run(opcode, type, [type, values(x)], [type, values(right)])]).toEqual([
        opcode,
        expected
      ]);
    }
    for (const [opcode, rule] of unary)
      expect([opcode, run(opcode, type, [type, values(some)])]).toEqual([
        opcode,
        some.map(value => wrap(type, rule(value)))
      ]);
    for (const [opcode, rule] of tests)
      expect([opcode, run(opcode, 'bool', [type, values(x)], [type, values(y)])]).toEqual([
        opcode,
        x.map((value, index) => rule(value, y[index] as bigint))
      ]);
    for (const [opcode, rule] of single)
      expect([opcode, run(opcode, 'bool', [type, values(some)])]).toEqual([opcode, some.map(rule)]);
  });

  test('bool computes Boolean algebra', () => {
    const [x, y] = [
      [false, false, true, true],
      [false, true, false, true]
    ];
    const both = (opcode: Opcode): Value[] => run(opcode, 'bool', ['bool', x], ['bool', y]);
    for (const opcode of ['add', 'maximum', 'bitwise_or', 'logical_or'] as const)
      expect(both(opcode)).toEqual([false, true, true, true]);
    for (const opcode of ['multiply', 'minimum', 'bitwise_and', 'logical_and'] as const)
      expect(both(opcode)).toEqual([false, false, false, true]);
    for (const opcode of ['bitwise_xor', 'logical_xor', 'not_equal'] as const)
      expect(both(opcode)).toEqual([false, true, true, false]);
    expect(both('less')).toEqual([false, true, false, false]);
    expect(both('greater_equal')).toEqual([true, false, true, true]);
    expect(run('bitwise_invert', 'bool', ['bool', x])).toEqual([true, true, false, false]);
    expect(run('isfinite', 'bool', ['bool', x])).toEqual([true, true, true, true]);
    expect(run('where', 'bool', ['bool', x], ['bool', y], ['bool', [true, true, true, true]])).toEqual([
      true,
      true,
      false,
      true
    ]);
  });
});

describe('casts', () => {
  test.each(['int8', 'int16', 'int32', 'int64', 'uint8', 'uint16', 'uint32', 'uint64'] as const)(
    'to %s truncate',
    type => {
      const values = dtypes[type].kind === 'i' ? [1.9, -1.9, 100, -0.5] : [1.9, 0.5, 100, 200.99];
      for (const from of ['float32', 'float64'] as const)
        expect(run('cast', type, [from, values])).toEqual(
          values.map(value => wrap(type, BigInt(Math.trunc(value))))
        );
      expect(run('cast', type, ['complex128', [{ re: 3.5, im: 9 }]])).toEqual([wrap(type, 3n)]);
      expect(run('cast', type, ['bool', [true, false]])).toEqual([wrap(type, 1n), wrap(type, 0n)]);
      for (const from of INTEGERS) {
        const integers = [0n, 1n, 127n, dtypes[from].kind === 'i' ? -5n : 250n];
        const got = run('cast', type, [from, integers.map(value => wrap(from, value))]);
        expect(got).toEqual(integers.map(value => wrap(type, BigInt(wrap(from, value)))));
      }
    }
  );

  test('out of range give the results of x86', () => {
    expect(run('cast', 'int32', ['float64', [3e9, -2147483648.5, NaN]])).toEqual([
      -2147483648, -2147483648, -2147483648
    ]);
    expect(run('cast', 'int64', ['float64', [1e30, NaN, -Infinity]])).toEqual([
      -(2n ** 63n),
      -(2n ** 63n),
      -(2n ** 63n)
    ]);
    expect(run('cast', 'uint64', ['float64', [2 ** 63, 1.5 * 2 ** 63]])).toEqual([2n ** 63n, 3n * 2n ** 62n]);
    expect(run('cast', 'uint32', ['float64', [4294967295, -1, 2 ** 32 + 5]])).toEqual([
      4294967295, 4294967295, 5
    ]);
    expect(run('cast', 'int8', ['float32', [300, -129]])).toEqual([44, 127]);
  });

  test('to bool test for zero, complex included', () => {
    expect(run('cast', 'bool', ['float32', [0, -0, NaN, 0.1]])).toEqual([false, false, true, true]);
    expect(run('cast', 'bool', ['int64', [0n, 1n << 40n]])).toEqual([false, true]);
    expect(
      run('cast', 'bool', [
        'complex64',
        [
          { re: 0, im: 0 },
          { re: 0, im: 2 }
        ]
      ])
    ).toEqual([false, true]);
    expect(run('cast', 'complex64', ['float64', [1.5]])).toEqual([{ re: 1.5, im: 0 }]);
    expect(run('cast', 'complex128', ['complex64', [{ re: 1, im: -2 }]])).toEqual([{ re: 1, im: -2 }]);
    expect(run('cast', 'float32', ['complex128', [{ re: 1, im: -2 }]])).toEqual([1]);
  });
});

describe.each(['complex64', 'complex128'] as const)('%s', type => {
  const part = type === 'complex64' ? 'float32' : 'float64';
  const [x, y] = [
    { re: 3, im: 4 },
    { re: 1, im: -2 }
  ];
  const close = (got: Value[], re: number, im: number): void => {
    const value = got[0] as { re: number; im: number };
    expect(value.re).toBeCloseTo(re, 5);
    expect(value.im).toBeCloseTo(im, 5);
  };
  test('computes', () => {
    expect(run('add', type, [type, [x]], [type, [y]])).toEqual([{ re: 4, im: 2 }]);
    expect(run('subtract', type, [type, [x]], [type, [y]])).toEqual([{ re: 2, im: 6 }]);
    expect(run('multiply', type, [type, [x]], [type, [y]])).toEqual([{ re: 11, im: -2 }]);
    close(run('divide', type, [type, [x]], [type, [y]]), -1, 2);
    expect(run('pow', type, [type, [x]], [type, [{ re: 2, im: 0 }]])).toEqual([{ re: -7, im: 24 }]);
    close(run('pow', type, [type, [x]], [type, [{ re: 0.5, im: 0 }]]), 2, 1);
    expect(run('abs', part, [type, [x]])).toEqual([5]);
    expect(run('real', part, [type, [x]])).toEqual([3]);
    expect(run('imag', part, [type, [x]])).toEqual([4]);
    expect(run('complex', type, [part, [3, -0, Infinity]], [part, [4, NaN, -0]])).toEqual([
      x,
      { re: -0, im: NaN },
      { re: Infinity, im: -0 }
    ]);
    expect(run('conj', type, [type, [x]])).toEqual([{ re: 3, im: -4 }]);
    expect(run('negative', type, [type, [x]])).toEqual([{ re: -3, im: -4 }]);
    expect(run('square', type, [type, [x]])).toEqual([{ re: -7, im: 24 }]);
    close(run('reciprocal', type, [type, [x]]), 0.12, -0.16);
    close(run('sign', type, [type, [x]]), 0.6, 0.8);
    expect(run('equal', 'bool', [type, [x, x]], [type, [x, y]])).toEqual([true, false]);
    expect(run('not_equal', 'bool', [type, [x, x]], [type, [x, y]])).toEqual([false, true]);
    expect(run('isnan', 'bool', [type, [{ re: 0, im: NaN }, x]])).toEqual([true, false]);
    expect(run('isfinite', 'bool', [type, [{ re: Infinity, im: 0 }, x]])).toEqual([false, true]);
    expect(run('isinf', 'bool', [type, [{ re: 1, im: -Infinity }, x]])).toEqual([true, false]);
    expect(run('where', type, ['bool', [true, false]], [type, [x, x]], [type, [y, y]])).toEqual([x, y]);
  });
  test('computes transcendental functions', () => {
    const one = { re: 0.5, im: 0.25 };
    const listed: readonly [Opcode, number, number][] = [
      ['sqrt', 0.7276733, 0.1717804],
      ['exp', 1.5974665, 0.4079002],
      ['log', -0.5815754, 0.4636476],
      ['sin', 0.4944858, 0.2216882],
      ['cos', 0.9051502, -0.1211088],
      ['tan', 0.5045007, 0.3124207],
      ['sinh', 0.5048957, 0.2789791],
      ['cosh', 1.0925708, 0.128921],
      ['tanh', 0.4854873, 0.1980554]
    ];
    for (const [opcode, re, im] of listed) close(run(opcode, type, [type, [one]]), re, im);
  });
});
