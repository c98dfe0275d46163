/** Reductions at the edges of their loops: lanes of vectors, blocks, rows that are counted in a byte, shares of threads. */

import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { block } from '../support.ts';
import { compute, encode, get, itemsize, on, put, typeNumber, type Value } from './support.ts';

type Operation = Parameters<typeof compute.reduce>[1];
type Pair = readonly [from: ElementTypeName, to: ElementTypeName];
/** Lengths of the axes and the byte strides of the input. */
interface Part {
  readonly kept: readonly number[];
  readonly reduced: readonly number[];
  readonly at?: number;
  readonly strides: readonly number[];
}

/** Reduces a part of the stored bytes. */
function reduceBytes(operation: Operation, [from, to]: Pair, bytes: Uint8Array, part: Part): Value[] {
  const { kept, reduced, strides, at = 0 } = part;
  const count = kept.reduce((x, y) => x * y, 1);
  const [out, input] = [block(Math.max(1, count) * itemsize(to)), put(bytes)];
  const outStrides = kept.map((_, axis) => itemsize(to) * kept.slice(axis + 1).reduce((x, y) => x * y, 1));
  const layout = [kept.length, ...kept, reduced.length, ...reduced, 0, ...outStrides, at, ...strides];
  compute.reduce(on(), operation, typeNumber(from), typeNumber(to), Float64Array.from(layout), [out, input]);
  const result = get(out, to, count);
  out.release();
  input.release();
  return result;
}

/** Reduces a list to one value. */
function total(operation: Operation, types: Pair, values: readonly Value[]): Value {
  return totalOfBytes(operation, types, encode(types[0], values));
}

function totalOfBytes(operation: Operation, types: Pair, bytes: Uint8Array): Value {
  const size = itemsize(types[0]);
  const part = { kept: [], reduced: [bytes.length / size], strides: [size] };
  return reduceBytes(operation, types, bytes, part)[0] as Value;
}

const LENGTHS = [1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 300];
const LONG = [1023, 1024, 1025, 1087, 2049, 4095, 4096, 4097, 9000];
const SIGNED = ['int8', 'int16', 'int32', 'int64'] as const;
const UNSIGNED = ['uint8', 'uint16', 'uint32', 'uint64'] as const;
const FLOATS = ['float32', 'float64'] as const;
const REALS = [...SIGNED, ...UNSIGNED, ...FLOATS] as const;

const ARRAYS = {
  int8: Int8Array,
  int16: Int16Array,
  int32: Int32Array,
  uint8: Uint8Array,
  uint16: Uint16Array,
  uint32: Uint32Array,
  float32: Float32Array,
  float64: Float64Array
};

const isWide = (type: ElementTypeName): boolean => type === 'int64' || type === 'uint64';
/** Like encode, but fast. */
function numbersOf(type: (typeof REALS)[number], values: readonly number[]): Uint8Array {
  if (type === 'int64') return new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
  if (type === 'uint64') return new Uint8Array(BigUint64Array.from(values, BigInt).buffer);
  return new Uint8Array(ARRAYS[type].from(values).buffer);
}
const valueOf = (type: ElementTypeName, value: number): Value => (isWide(type) ? BigInt(value) : value);
/** A sequence without order of numbers from 1 to 100. */
const mixed = (count: number): number[] => Array.from({ length: count }, (_, i) => ((i * 7919) % 100) + 1);

describe.each(REALS)('rows of %s', type => {
  const result = (operation: Operation, to: ElementTypeName, values: readonly number[]) =>
    totalOfBytes(operation, [type, to], numbersOf(type, values));
  const sumType = SIGNED.includes(type as 'int8')
    ? 'int64'
    : UNSIGNED.includes(type as 'uint8')
      ? 'uint64'
      : type;

  test.each([...LENGTHS, ...LONG])('of %d elements', count => {
    const values = mixed(count);
    const sum = values.reduce((x, y) => x + y, 0);
    expect(result('sum', sumType, values)).toEqual(valueOf(sumType, sum));
    expect(result('sum', 'float64', values)).toEqual(sum);
    expect(result('max', type, values)).toEqual(valueOf(type, Math.max(...values)));
    expect(result('min', type, values)).toEqual(valueOf(type, Math.min(...values)));
    expect(result('argmax', 'int64', values)).toEqual(BigInt(values.indexOf(Math.max(...values))));
    expect(result('argmin', 'int64', values)).toEqual(BigInt(values.indexOf(Math.min(...values))));
    expect(result('all', 'bool', values)).toBe(true);
    expect(
      result(
        'any',
        'bool',
        values.map(() => 0)
      )
    ).toBe(false);
  });

  test('that differ in one element, whichever it is', () => {
    for (const count of [40, 261, 1030]) {
      for (let at = 0; at < count; at += count > 300 ? 13 : 1) {
        const values = Array.from({ length: count }, (_, i) => (i === at ? 2 : 1));
        expect(result('max', type, values)).toEqual(valueOf(type, 2));
        expect(result('argmax', 'int64', values)).toBe(BigInt(at));
        const other = values.map(value => 2 - value);
        expect(result('min', type, other)).toEqual(valueOf(type, 0));
        expect(result('argmin', 'int64', other)).toBe(BigInt(at));
        expect(result('all', 'bool', other)).toBe(false);
        expect(
          result(
            'any',
            'bool',
            values.map(value => value - 1)
          )
        ).toBe(true);
        expect(result('prod', type, values)).toEqual(valueOf(type, 2));
      }
    }
  });

  test('the first of equal elements is found', () => {
    for (const [first, second] of [
      [0, 1],
      [63, 64],
      [255, 300],
      [4095, 4096],
      [5000, 8191]
    ] as const) {
      const values = mixed(9000);
      values[first] = values[second] = 120;
      expect(result('argmax', 'int64', values)).toBe(BigInt(first));
      values[first] = values[second] = 0;
      expect(result('argmin', 'int64', values)).toBe(BigInt(first));
    }
  });

  /** Rows and columns of a matrix; more rows than a byte counts, more columns than are searched together. */
  test.each([
    [3, 9],
    [8, 33],
    [9, 256],
    [17, 300],
    [255, 12],
    [256, 8],
    [257, 65],
    [600, 40],
    [5, 1025],
    [260, 1100]
  ])('columns of %d by %d', (rows, columns) => {
    const size = itemsize(type);
    const values = Array.from({ length: rows * columns }, (_, i) => ((i * 7919) % 9973) % 120);
    const bytes = numbersOf(type, values);
    const lists = Array.from({ length: columns }, (_, column) =>
      Array.from({ length: rows }, (__, row) => values[row * columns + column] as number)
    );
    const up = { kept: [columns], reduced: [rows], strides: [size, size * columns] };
    // The same columns, each from its last row to its first, and the columns from the last to the first.
    const back = {
      kept: [columns],
      reduced: [rows],
      at: size * (rows * columns - 1),
      strides: [-size, -size * columns]
    };
    const index = (list: readonly number[], best: number): bigint => BigInt(list.indexOf(best));
    for (const [part, all] of [
      [up, lists],
      [back, lists.toReversed().map(list => list.toReversed())]
    ] as const) {
      const ofPart = (operation: Operation, to: ElementTypeName) =>
        reduceBytes(operation, [type, to], bytes, part);
      expect(ofPart('argmax', 'int64')).toEqual(all.map(list => index(list, Math.max(...list))));
      expect(ofPart('argmin', 'int64')).toEqual(all.map(list => index(list, Math.min(...list))));
      expect(ofPart('max', type)).toEqual(all.map(list => valueOf(type, Math.max(...list))));
      expect(ofPart('min', type)).toEqual(all.map(list => valueOf(type, Math.min(...list))));
      const sums = all.map(list => list.reduce((x, y) => x + y, 0));
      expect(ofPart('sum', sumType)).toEqual(sums.map(sum => valueOf(sumType, sum)));
      expect(ofPart('sum', 'float64')).toEqual(sums);
      expect(ofPart('all', 'bool')).toEqual(all.map(list => !list.includes(0)));
    }
  });
});

test.each(FLOATS)('NaN of %s is found in each position', type => {
  for (const count of [5, 40, 300]) {
    for (let at = 0; at < count; at++) {
      const values = mixed(count);
      values[at] = NaN;
      if (at + 2 < count) values[at + 2] = NaN;
      for (const operation of ['min', 'max', 'sum', 'prod'] as const)
        expect([operation, at, total(operation, [type, type], values)]).toEqual([operation, at, NaN]);
      expect(total('argmax', [type, 'int64'], values)).toBe(BigInt(at));
      expect(total('argmin', [type, 'int64'], values)).toBe(BigInt(at));
    }
  }
});

test.each([...FLOATS, 'float16'] as const)('NaN of %s is first in its column', type => {
  const [rows, columns] = [520, 37];
  const values = Array.from({ length: rows * columns }, (_, i) => (i * 7919) % 97);
  const expected = Array.from({ length: columns }, (_, column) => (column * 29) % rows);
  expected.forEach((row, column) => {
    values[row * columns + column] = NaN;
    values[(rows - 1) * columns + column] = NaN;
  });
  const size = itemsize(type);
  const part = { kept: [columns], reduced: [rows], strides: [size, size * columns] };
  for (const operation of ['argmin', 'argmax'] as const)
    expect(reduceBytes(operation, [type, 'int64'], encode(type, values), part)).toEqual(expected.map(BigInt));
  for (const operation of ['min', 'max'] as const)
    expect(reduceBytes(operation, [type, type], encode(type, values), part)).toEqual(expected.map(() => NaN));
});

test.each(['bool', 'int16', 'float16', 'float64'] as const)('columns of %s that are apart', type => {
  const [rows, columns] = [70, 1100];
  const size = itemsize(type);
  const values = Array.from({ length: rows * columns * 2 }, (_, i) => ((i * 7919) % 9973) % 50);
  const stored: Value[] = type === 'bool' ? values.map(value => value > 40) : values;
  const strides = [2 * size, 2 * size * columns];
  const lists = Array.from({ length: columns }, (_, column) =>
    Array.from({ length: rows }, (__, row) => Number(stored[2 * (row * columns + column)]))
  );
  expect(
    reduceBytes('argmax', [type, 'int64'], encode(type, stored), {
      kept: [columns],
      reduced: [rows],
      strides
    })
  ).toEqual(lists.map(list => BigInt(list.indexOf(Math.max(...list)))));
});

test.each([
  ['int8', 'int64', -128],
  ['uint8', 'uint64', 255],
  ['int16', 'int64', -32768],
  ['uint16', 'uint64', 65535],
  ['int32', 'int64', -(2 ** 31)],
  ['uint32', 'uint64', 2 ** 32 - 1],
  ['bool', 'int64', 1]
] as const)('sums of the extremes of %s do not overflow in %s', (from, to, extreme) => {
  const [rows, columns] = [300, 77];
  const value: Value = from === 'bool' ? true : extreme;
  const values = Array.from({ length: rows * columns }, () => value);
  expect(total('sum', [from, to], values)).toBe(BigInt(extreme) * BigInt(rows * columns));
  const size = itemsize(from);
  const part = { kept: [columns], reduced: [rows], strides: [size, size * columns] };
  expect(reduceBytes('sum', [from, to], encode(from, values), part)).toEqual(
    Array.from({ length: columns }, () => BigInt(extreme) * BigInt(rows))
  );
});

describe('truth', () => {
  test.each(FLOATS)('of %s: NaN is true, and no zero is', type => {
    for (const count of [1, 9, 100, 5000]) {
      const zeros = Array.from({ length: count }, (_, i) => (i % 2 === 0 ? -0 : 0));
      expect(total('any', [type, 'bool'], zeros)).toBe(false);
      expect(
        total(
          'all',
          [type, 'bool'],
          zeros.map(() => NaN)
        )
      ).toBe(true);
      zeros[count - 1] = NaN;
      expect(total('any', [type, 'bool'], zeros)).toBe(true);
    }
  });
  test('of complex numbers is that of either part', () => {
    for (const type of ['complex64', 'complex128'] as const) {
      for (const at of [0, 30, 63, 64, 70]) {
        const values = Array.from({ length: 71 }, (_, i) => ({ re: 0, im: i === at ? 1 : -0 }));
        expect(total('any', [type, 'bool'], values)).toBe(true);
        const ones = Array.from({ length: 71 }, (_, i) => ({ re: i === at ? 0 : 1, im: 0 }));
        expect(total('all', [type, 'bool'], ones)).toBe(false);
      }
    }
  });
  test('of long rows is decided in any block', () => {
    const bytes = new Uint8Array(2 ** 20);
    const part = { kept: [], reduced: [bytes.length], strides: [1] };
    expect(reduceBytes('any', ['bool', 'bool'], bytes, part)).toEqual([false]);
    for (const at of [0, 4095, 4096, 131071, 131072, 700000, 2 ** 20 - 1]) {
      bytes.fill(0)[at] = 1;
      expect(reduceBytes('any', ['bool', 'bool'], bytes, part)).toEqual([true]);
      bytes.fill(1)[at] = 0;
      expect(reduceBytes('all', ['bool', 'bool'], bytes, part)).toEqual([false]);
      expect(reduceBytes('argmin', ['bool', 'int64'], bytes, part)).toEqual([BigInt(at)]);
    }
  });
});

test('a sum of floats has the same bits wherever its elements are', () => {
  for (const count of [100, 1000, 4096, 70000, 300000]) {
    const values = Float32Array.from({ length: count }, (_, i) => Math.fround(Math.sin(i) * 10 ** (i % 7)));
    const apart = new Float32Array(2 * count);
    values.forEach((value, i) => (apart[2 * i] = value));
    const bytes = (list: Float32Array<ArrayBuffer>): Uint8Array => new Uint8Array(list.buffer);
    const sum = (list: Float32Array<ArrayBuffer>, stride: number) =>
      reduceBytes('sum', ['float32', 'float32'], bytes(list), {
        kept: [],
        reduced: [count],
        strides: [stride]
      });
    expect(sum(apart, 8)).toEqual(sum(values, 4));
    const exact = values.reduce((x, y) => x + y, 0);
    const size = values.reduce((x, y) => x + Math.abs(y), 0);
    expect(Math.abs((sum(values, 4)[0] as number) - exact)).toBeLessThan(1e-6 * size);
  }
});

test('nothing is reduced to the identity, and no columns to nothing', () => {
  expect(total('max', ['float32', 'float32'], [])).toBe(-Infinity);
  expect(total('sum', ['int8', 'int64'], [])).toBe(0n);
  const part = { kept: [40], reduced: [0], strides: [4, 160] };
  expect(reduceBytes('sum', ['float32', 'float32'], new Uint8Array(4), part)).toEqual(Array(40).fill(0));
  const none = { kept: [0], reduced: [40], strides: [4, 4] };
  expect(reduceBytes('argmax', ['float32', 'int64'], new Uint8Array(160), none)).toEqual([]);
});
