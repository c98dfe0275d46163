/** Elementwise programs over arrays of every layout, and rejected programs. */

import { dtypes } from '../../../src/dtype/dtype.ts';
import { block, errorOf, native, simulated } from '../support.ts';
import { encode, get, itemsize, on, plain, program, put, compute } from './support.ts';

const add = (): ReturnType<typeof program> =>
  program(['float32', 'float32'], [['add', 'float32', 0, 1]], [[2, 'float32']]);

describe('layouts', () => {
  const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
  const floats = (count: number) => put(encode('float32', counted(count)));

  test('can be broadcast, transposed, reversed and stepped', () => {
    const [rows, columns] = [37, 300];
    const out = block(4 * rows * columns);
    // out[i, j] = a[j, i] + b[columns - 1 - j], where a is (columns, rows) and b is every other element of its memory.
    const layout = Float64Array.of(
      2,
      rows,
      columns,
      0,
      ...plain([rows, columns], 4),
      0,
      4,
      4 * rows,
      8 * (columns - 1),
      0,
      -8
    );
    compute.elementwise(on(), add(), layout, [out, floats(rows * columns), floats(2 * columns)]);
    const expected = counted(rows * columns).map(n => {
      const [i, j] = [Math.floor(n / columns), n % columns];
      return j * rows + i + 2 * (columns - 1 - j);
    });
    expect(get(out, 'float32', rows * columns)).toEqual(expected);
  });

  test('reach elements that are not aligned, on either side', () => {
    const values = counted(3000);
    const out = block(12003);
    const layout = Float64Array.of(1, 3000, 3, 4, 1, 4, 0, 4);
    compute.elementwise(on(), add(), layout, [out, put(encode('float32', values), 1), floats(3000)]);
    expect(get(out, 'float32', 3000, 3)).toEqual(values.map(value => 2 * value));
  });

  test('can be written with gaps, backwards, without touching the gaps', () => {
    const out = block(4 * 2000);
    out.fill(0, 4, 0x7fc00000, 2000, on());
    compute.elementwise(on(), add(), Float64Array.of(1, 1000, 4 * 1998, -8, 0, 4, 0, 0), [
      out,
      floats(1000),
      floats(1)
    ]);
    const got = get(out, 'float32', 2000);
    expect(got).toEqual(counted(2000).map(n => (n % 2 === 0 ? 999 - n / 2 : NaN)));
  });

  test('of many short rows are mixed in blocks', () => {
    const [rows, columns] = [5000, 3];
    const out = block(4 * rows * columns);
    const layout = Float64Array.of(2, rows, columns, 0, 12, 4, 0, 16, 4, 0, 0, 4);
    compute.elementwise(on(), add(), layout, [out, floats(4 * rows), floats(3)]);
    expect(get(out, 'float32', rows * columns)).toEqual(
      counted(rows * columns).map(n => 4 * Math.floor(n / 3) + (n % 3) + (n % 3))
    );
  });

  test('can be in place, with several outputs, one of which is an input', () => {
    const code = program(
      ['float32', 'float32'],
      [
        ['add', 'float32', 0, 1],
        ['subtract', 'float32', 0, 1]
      ],
      [
        [2, 'float32'],
        [3, 'float32'],
        [0, 'float32']
      ]
    );
    const [a, b, c] = [floats(2500), floats(2500), block(10000)];
    const layout = Float64Array.of(1, 2500, 0, 4, 0, 4, 0, 4, 0, 4, 0, 4);
    compute.elementwise(on(), code, layout, [a, b, c, a, b]);
    expect(get(a, 'float32', 2500)).toEqual(counted(2500).map(n => 2 * n));
    expect(get(b, 'float32', 2500)).toEqual(counted(2500).map(() => 0));
    expect(get(c, 'float32', 2500)).toEqual(counted(2500));
  });

  test('can have outputs larger than the cache, from an unaligned address', () => {
    const count = 2 ** 21 + 5;
    const out = block(4 * count + 4);
    const one = put(encode('float32', [1.5]));
    compute.elementwise(on(), add(), Float64Array.of(1, count, 4, 4, 0, 0, 0, 0), [out, one, one]);
    const bytes = new Float32Array(count);
    out.readToHost(4, bytes, on());
    expect(bytes.every(value => value === 3)).toBe(true);
    out.release();
  });

  test('can have no axis, no element, no input', () => {
    const out = put(encode('float32', [9]));
    const constant = program([], [['negative', 'float32', 0]], [[1, 'float32']], [['float32', 5]]);
    const before = on().sequence;
    compute.elementwise(on(), constant, Float64Array.of(2, 0, 3, 0, 4, 4), [out]);
    expect(on().sequence).toBe(before);
    compute.elementwise(on(), constant, Float64Array.of(0, 0), [out]);
    expect(on().sequence).toBe(before + 1);
    expect(get(out, 'float32', 1)).toEqual([-5]);
  });

  test('run again from a graph with the current contents of memory', () => {
    const [out, a, b] = [block(4), put(encode('float32', [1])), put(encode('float32', [2]))];
    on().beginCapture();
    compute.elementwise(on(), add(), Float64Array.of(0, 0, 0, 0), [out, a, b]);
    const graph = on().endCapture();
    a.writeFromHost(0, Float32Array.of(40), on());
    graph.launch(on());
    expect(get(out, 'float32', 1)).toEqual([42]);
    graph.destroy();
  });
});

test('constants of every type fill their registers, one element at the end too', () => {
  const types = ['int8', 'uint16', 'int32', 'uint64', 'float16', 'float32', 'float64', 'complex64'] as const;
  for (const type of [...types, 'complex128', 'float8_e4m3fn'] as const) {
    const { kind, bits } = dtypes[type];
    const value = kind === 'c' ? { re: 2, im: -1 } : kind !== 'f' && bits === 64 ? 2n : 2;
    const zero = kind === 'c' ? { re: 0, im: 0 } : kind !== 'f' && bits === 64 ? 0n : 0;
    const code = program([type], [['add', type, 0, 1]], [[2, type]], [[type, value]]);
    for (const count of [1, 1023, 1025]) {
      const input = put(encode(type, Array<typeof zero>(count).fill(zero)));
      const out = block(count * itemsize(type));
      const layout = Float64Array.of(1, count, 0, itemsize(type), 0, itemsize(type));
      compute.elementwise(on(), code, layout, [out, input]);
      expect(get(out, type, count)).toEqual(Array<typeof value>(count).fill(value));
    }
  }
});

test('several instructions on arrays that exceed the cache', () => {
  const count = 2 ** 21 + 7;
  const code = program(
    ['float32'],
    [
      ['maximum', 'float32', 0, 1],
      ['minimum', 'float32', 3, 2]
    ],
    [[4, 'float32']],
    [
      ['float32', 10],
      ['float32', 1000]
    ]
  );
  const values = Float32Array.from({ length: count }, (_, index) => (index % 5 === 0 ? NaN : index % 2000));
  const [out, input] = [block(4 * count), put(new Uint8Array(values.buffer))];
  compute.elementwise(on(), code, Float64Array.of(1, count, 0, 4, 0, 4), [out, input]);
  const got = new Float32Array(count);
  out.readToHost(0, got, on());
  const wrong = got.findIndex((value, at) => !Object.is(value, Math.min(Math.max(values[at]!, 10), 1000)));
  expect(wrong).toBe(-1);
  for (const storage of [out, input]) storage.release();
});

describe('a single instruction over whole arrays', () => {
  test.each([1, 255, 1023, 1024, 1025, 5000])('%i elements: in place, apart and unaligned', count => {
    const values = Array.from({ length: count }, (_, index) => index % 97);
    const sums = values.map(value => 2 * value);
    for (const at of [0, 4, 2]) {
      const both = put(encode('float32', values), at);
      const layout = [at, 4, at, 4, at, 4];
      compute.elementwise(on(), add(), Float64Array.of(1, count, ...layout), [both, both, both]);
      expect(get(both, 'float32', count, at)).toEqual(sums);
    }
    const small = put(encode('float16', values));
    const fifty = put(encode('float16', [50]));
    const less = program(['float16', 'float16'], [['less', 'bool', 0, 1]], [[2, 'bool']]);
    const out = block(count);
    compute.elementwise(on(), less, Float64Array.of(1, count, 0, 1, 0, 2, 0, 0), [out, small, fifty]);
    expect(get(out, 'bool', count)).toEqual(values.map(value => value < 50));
    compute.elementwise(on(), less, Float64Array.of(1, count, 0, 1, 0, 2, 0, 2), [out, small, small]);
    expect(get(out, 'bool', count)).toEqual(values.map(() => false));
  });
});

describe('refusals', () => {
  const make = (...words: number[]) =>
    errorOf(() =>
      native.compute.makeProgram(Int32Array.from(words), new Uint8Array(16 * Math.max(0, words[2] ?? 0)))
    ).kind;
  const [ADD, F32, I32, BOOL] = [42, 11, 3, 0];

  test('of programs', () => {
    expect(() =>
      native.compute.makeProgram(
        Int32Array.of(2, 1, 0, 1, F32, F32, ADD, F32, 0, 1, -1, 2, F32),
        new Uint8Array(0)
      )
    ).not.toThrow();
    expect(make()).toBe('argument');
    expect(make(-1, 1, 0, 0)).toBe('argument');
    expect(make(1, 0, 0, 0, F32)).toBe('argument');
    expect(make(1, 1, 0, 0, 99, 0, 99)).toBe('argument');
    expect(make(1, 1, 0, 0, F32, 1, F32)).toBe('argument');
    expect(make(1, 1, 0, 0, F32, 0, I32)).toBe('argument');
    expect(make(1, 1, 0, 0, F32, 0, F32, 0)).toBe('argument');
    expect(make(2, 1, 0, 1, F32, I32, ADD, F32, 0, 1, -1, 2, F32)).toBe('argument'); // types differ
    expect(make(2, 1, 0, 1, F32, F32, ADD, I32, 0, 1, -1, 2, I32)).toBe('argument'); // result differs
    expect(make(2, 1, 0, 1, F32, F32, ADD, F32, 0, 2, -1, 2, F32)).toBe('argument'); // reads its own result
    expect(make(2, 1, 0, 1, F32, F32, ADD, F32, 0, 1, 1, 2, F32)).toBe('argument'); // one operand too many
    expect(make(2, 1, 0, 1, F32, F32, 99, F32, 0, 1, -1, 2, F32)).toBe('argument');
    expect(make(2, 1, 0, 1, BOOL, BOOL, ADD + 1, BOOL, 0, 1, -1, 2, BOOL)).toBe('argument'); // bool has no subtraction
    expect(
      errorOf(() => native.compute.makeProgram(Int32Array.of(0, 1, 1, 0, F32, 0, F32), new Uint8Array(15)))
        .kind
    ).toBe('argument');
    expect(
      errorOf(() => native.compute.makeProgram([] as unknown as Int32Array, new Uint8Array(0))).kind
    ).toBe('argument');
  });

  test('of layouts, storages and devices', () => {
    const copy = program(['float32'], [], [[0, 'float32']]);
    const [out, source] = [block(40), block(40)];
    const call = (layout: number[], storages = [out, source]) =>
      errorOf(() => compute.elementwise(on(), copy, Float64Array.from(layout), storages)).kind;
    expect(call([1, 11, 0, 4, 0, 4])).toBe('bounds');
    expect(call([1, 10, 4, 4, 0, 4])).toBe('bounds');
    expect(call([1, 10, 0, 4, 0, -4])).toBe('bounds');
    expect(call([1, 2 ** 40, 0, 2 ** 40, 0, 0])).toBe('bounds');
    expect(call([1, 10, 0, 0, 0, 4])).toBe('argument');
    expect(call([1, 10, 0, 4, 0])).toBe('argument');
    expect(call([1, 10, 0, 4, 0, 4, 1])).toBe('argument');
    expect(call([1, 1.5, 0, 4, 0, 4])).toBe('argument');
    expect(call([1, -1, 0, 4, 0, 4])).toBe('argument');
    expect(call([1, NaN, 0, 4, 0, 4])).toBe('argument');
    expect(call([33, ...Array<number>(99).fill(1)])).toBe('argument');
    expect(call([2, 2 ** 40, 2 ** 40, 0, 0, 0, 0, 0, 0])).toBe('argument');
    expect(call([1, 10, 0, 4, 0, 4], [out])).toBe('argument');
    expect(call([1, 10, 0, 4, 0, 4], [out, {} as typeof out])).toBe('argument');
    const released = block(40);
    released.release();
    expect(call([1, 10, 0, 4, 0, 4], [out, released])).toBe('freed');
    const wrong = errorOf(() =>
      compute.elementwise(on(), {} as typeof copy, Float64Array.of(0, 0, 0), [out, source])
    );
    expect(wrong.kind).toBe('argument');
    const words = native.compute.words();
    expect(native.compute.words()).toBe(words);
    words.set([out.key, source.key, 1, 10, 0, 4, 0, 4]);
    for (const count of [-1, 1.5, words.length + 1])
      expect(errorOf(() => native.compute.elementwise(on().key, copy.key, count)).kind).toBe('argument');
    expect(native.compute.elementwise(on().key, copy.key, 8)).toBe(on().sequence);
    const unknown = (2 ** 31) as typeof copy.key;
    expect(errorOf(() => native.compute.elementwise(on().key, unknown, 8)).kind).toBe('argument');
    const ended = native.createStream(simulated(), { blocking: false, priority: 0 });
    ended.destroy();
    expect(
      errorOf(() => compute.elementwise(ended, copy, Float64Array.of(1, 0, 0, 4, 0, 4), [out, source])).kind
    ).toBe('freed');
  });
});
