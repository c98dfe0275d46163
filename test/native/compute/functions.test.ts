/** Functions and quotients that are vectorized, beside those of JavaScript. */

import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import type { Opcode } from '../../../src/compute/program/instructions.ts';
import { block } from '../support.ts';
import { encode, get, itemsize, on, program, put, type Value, compute as operations } from './support.ts';

function compute(opcode: Opcode, type: ElementTypeName, ...operands: readonly (readonly Value[])[]): Value[] {
  const count = operands[0]!.length;
  const size = itemsize(type);
  const inputs = operands.map(values => put(encode(type, values)));
  const out = block(count * size);
  const made = program(
    operands.map(() => type),
    [[opcode, type, ...operands.keys()]],
    [[operands.length, type]]
  );
  const layout = Float64Array.of(1, count, ...[out, ...inputs].flatMap(() => [0, size]));
  operations.elementwise(on(), made, layout, [out, ...inputs]);
  const values = get(out, type, count);
  for (const storage of [out, ...inputs]) storage.release();
  return values;
}

const FUNCTIONS = {
  exp: Math.exp,
  exp2: (x: number) => 2 ** x,
  expm1: Math.expm1,
  log: Math.log,
  log2: Math.log2,
  log1p: Math.log1p,
  cbrt: Math.cbrt,
  atan: Math.atan,
  sin: Math.sin,
  cos: Math.cos,
  tanh: Math.tanh
} as const;

/** Special values, both ends of each range, and values on a grid of exponents. */
const NUMBERS = [
  ...[0, -0, Infinity, -Infinity, NaN, 1, -1, 5e-324, -5e-324, 2 ** -1022, 1e-40, 2 ** -149, 1e30, -1e30],
  ...[709.7, 709.79, 710, -745, -745.2, -746, 88.7, 88.8, -103.9, -104, 1e6, -1e6, 999999.9, 1e22, 22, -22],
  ...Array.from({ length: 3000 }, (_, index) => ((index % 200) - 99.7) * 2 ** ((index / 60) % 25) * 1e-4),
  ...Array.from({ length: 500 }, (_, index) => (index + 1) * (Math.PI / 2))
];

describe.each(['float64', 'float32'] as const)('%s', type => {
  const round = type === 'float32' ? Math.fround : (value: number): number => value;
  const [bits, least] = type === 'float32' ? [23, -126] : [52, -1022];
  const inputs = NUMBERS.map(round);
  const unit = (value: number): number =>
    2 ** (Math.max(Math.floor(Math.log2(Math.abs(value))), least) - bits);

  test.each(Object.entries(FUNCTIONS))(
    '%s is within two units in the last place, and that of V8 within one',
    (name, expected) => {
      const results = compute(name as Opcode, type, inputs);
      const wrong = inputs.flatMap((x, index) => {
        const [ours, theirs] = [results[index] as number, round(expected(x))];
        const near = Math.abs(ours - theirs) <= 3 * unit(theirs);
        return Object.is(ours, theirs) || near ? [] : [[x, ours, theirs]];
      });
      expect(wrong).toEqual([]);
    }
  );

  test('atan2 and pow are within two units in the last place, and those of V8 within one, for all kinds of pairs', () => {
    const edges = [0, 1, 2, 0.5, 3, Infinity, NaN, 5e-324, 2 ** -1022, 2 ** -149, 1e-30, 1.7e308, 1e38]
      .flatMap(value => [value, -value])
      .map(round);
    const some = inputs.filter((_, index) => index % 37 === 0);
    const pairs = [...edges, ...some].flatMap(x => [...edges, ...some].map(y => [x, y] as const));
    const [left, right] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
    for (const [name, expected] of [
      ['atan2', Math.atan2],
      // In NumPy, unlike JavaScript, a power of 1 is 1, and -1 to an infinite power too.
      ['pow', (x, y) => (x === 1 || (x === -1 && Math.abs(y) === Infinity) ? 1 : x ** y)]
    ] satisfies [Opcode, (x: number, y: number) => number][]) {
      const results = compute(name, type, left, right);
      const wrong = pairs.flatMap(([x, y], index) => {
        const [ours, theirs] = [results[index] as number, round(expected(x, y))];
        return Object.is(ours, theirs) || Math.abs(ours - theirs) <= 3 * unit(theirs)
          ? []
          : [[name, x, y, ours, theirs]];
      });
      expect(wrong).toEqual([]);
    }
  });
});

const INTEGERS = ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64'] as const;

describe.each(INTEGERS)('%s', type => {
  const bits = 8 * itemsize(type);
  const wrap = (value: bigint): bigint =>
    type.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
  const edges = [
    0n,
    1n,
    -1n,
    2n,
    3n,
    7n,
    10n,
    100n,
    1n << 15n,
    1n << 24n,
    1n << 31n,
    (1n << 50n) - 1n,
    1n << 50n,
    1n << 51n,
    (1n << 53n) + 1n,
    1n << 63n
  ]
    .flatMap(value => [value - 1n, value, value + 1n, -value])
    .map(wrap);
  const pairs = edges.flatMap(x => edges.map(y => [x, y] as const));
  const [left, right] = [pairs.map(([x]) => x), pairs.map(([, y]) => y)];
  const run = (opcode: Opcode): bigint[] => {
    const values = bits === 64 ? [left, right] : [left.map(Number), right.map(Number)];
    return compute(opcode, type, ...values).map(value => BigInt(value as number));
  };
  const floored = (x: bigint, y: bigint): bigint => {
    if (y === 0n) return 0n;
    return x / y - (x % y !== 0n && x < 0n !== y < 0n ? 1n : 0n);
  };

  test('quotients and remainders are rounded down', () => {
    expect(run('floor_divide')).toEqual(pairs.map(([x, y]) => wrap(floored(x, y))));
    expect(run('remainder')).toEqual(pairs.map(([x, y]) => (y === 0n ? 0n : x - y * floored(x, y))));
  });

  test('powers wrap', () => {
    const power = (base: bigint, exponent: bigint): bigint => {
      if (exponent < 0n) return base === 1n ? 1n : base === -1n ? (exponent % 2n === 0n ? 1n : -1n) : 0n;
      let product = 1n;
      let factor = base;
      for (let left = exponent; left !== 0n; left >>= 1n) {
        if ((left & 1n) === 1n) product = wrap(product * factor);
        factor = wrap(factor * factor);
      }
      return product;
    };
    expect(run('pow')).toEqual(pairs.map(([x, y]) => power(x, y)));
  });
});
