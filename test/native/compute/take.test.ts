import { block, errorOf, native } from '../support.ts';
import { encode, get, on, put, typeNumber, compute } from './support.ts';

const [INT32, INT64] = [typeNumber('int32'), typeNumber('int64')];
const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

beforeEach(() => {
  native.compute.invalidIndices();
});

test('gathers along each axis, from the end too', () => {
  const input = put(encode('float32', counted(24))); // 2 by 3 by 4
  const index = put(encode('int64', [2n, 0n, -1n, 1n]));
  const out = block(4 * 2 * 4 * 4);
  compute.take(on(), 4, INT64, Float64Array.of(3, 2, 4, 4, 1, 3, 0, 0, 64, 16, 4, 0, 48, 16, 4, 0, 8), [
    out,
    input,
    index
  ]);
  const rows = [2, 0, 2, 1];
  expect(get(out, 'float32', 32)).toEqual(
    counted(32).map(n => 12 * Math.floor(n / 16) + 4 * (rows[Math.floor(n / 4) % 4] as number) + (n % 4))
  );
  const narrow = put(encode('int32', [3, 3, 0]));
  compute.take(on(), 4, INT32, Float64Array.of(3, 2, 3, 3, 2, 4, 0, 0, 36, 12, 4, 0, 48, 16, 4, 0, 4), [
    out,
    input,
    narrow
  ]);
  expect(get(out, 'float32', 18)).toEqual(counted(18).map(n => 4 * Math.floor(n / 3) + [3, 3, 0][n % 3]!));
  expect(native.compute.invalidIndices()).toBe(0);
});

test.each([1, 2, 4, 8, 16])('gathers elements of %p bytes, strided and backwards', size => {
  const bytes = Uint8Array.from(counted(8 * size));
  const [input, out] = [put(bytes), block(3 * size)];
  const index = put(encode('int32', [5, 0, 7]));
  // The input reversed: index i is element 7 - i.
  compute.take(on(), size, INT32, Float64Array.of(1, 3, 0, 8, 0, 0, size, 7 * size, -size, 0, 4), [
    out,
    input,
    index
  ]);
  const expected = [2, 7, 0].flatMap(element => [...bytes.subarray(element * size, (element + 1) * size)]);
  expect(get(out, 'uint8', 3 * size)).toEqual(expected);
});

test('indices out of range become zeros and are counted, or are taken modulo the length', () => {
  const input = put(encode('int16', [10, 11, 12]));
  const index = put(encode('int64', [3n, -4n, -3n, 2n, 2n ** 62n, -(2n ** 63n)]));
  const out = put(encode('int16', [9, 9, 9, 9, 9, 9]));
  const layout = (mode: number) => Float64Array.of(1, 6, 0, 3, mode, 0, 2, 0, 2, 0, 8);
  compute.take(on(), 2, INT64, layout(0), [out, input, index]);
  expect(get(out, 'int16', 6)).toEqual([0, 0, 10, 12, 0, 0]);
  expect(native.compute.invalidIndices()).toBe(4);
  expect(native.compute.invalidIndices()).toBe(0);
  compute.take(on(), 2, INT64, layout(1), [out, input, index]);
  const modulo = [3n, -4n, -3n, 2n, 2n ** 62n, -(2n ** 63n)].map(
    value => 10 + Number(((value % 3n) + 3n) % 3n)
  );
  expect(get(out, 'int16', 6)).toEqual(modulo);
  expect(native.compute.invalidIndices()).toBe(0);
});

describe('positions in several blocks', () => {
  const LENGTH = 700;
  const input = () => put(encode('uint32', counted(LENGTH)));

  test.each([1023, 1024, 1025, 4097])('%i, of both types, stepped and reversed', count => {
    const places = counted(count).map(at => ((at * 389) % (2 * LENGTH)) - LENGTH);
    const expected = places.map(at => (at < 0 ? at + LENGTH : at));
    for (const [type, size] of [
      ['int32', 4],
      ['int64', 8]
    ] as const) {
      const values = type === 'int64' ? places.map(BigInt) : places;
      const twice = put(encode(type, [...values, ...values.toReversed()]));
      const out = block(4 * count);
      const call = (offset: number, stride: number) =>
        compute.take(
          on(),
          4,
          typeNumber(type),
          Float64Array.of(1, count, 0, LENGTH, 0, 0, 4, 0, 4, offset, stride),
          [out, input(), twice]
        );
      call(0, size);
      expect(get(out, 'uint32', count)).toEqual(expected);
      call(size * (2 * count - 1), -size);
      expect(get(out, 'uint32', count)).toEqual(expected);
      call(0, 2 * size);
      const everyOther = [...expected, ...expected.toReversed()].filter((_, at) => at % 2 === 0);
      expect(get(out, 'uint32', count)).toEqual(everyOther);
      expect(native.compute.invalidIndices()).toBe(0);
    }
  });

  test('out of range in one block only', () => {
    const count = 3000;
    const wrong = new Map([
      [1024, BigInt(LENGTH)],
      [1500, -BigInt(LENGTH) - 1n],
      [2047, 2n ** 62n]
    ]);
    const index = put(
      encode(
        'int64',
        counted(count).map(at => wrong.get(at) ?? BigInt(at % LENGTH))
      )
    );
    const out = block(4 * count);
    const call = (mode: number) =>
      compute.take(
        on(),
        4,
        typeNumber('int64'),
        Float64Array.of(1, count, 0, LENGTH, mode, 0, 4, 0, 4, 0, 8),
        [out, input(), index]
      );
    call(0);
    const zeros = counted(count).map(at => (wrong.has(at) ? 0 : at % LENGTH));
    expect(get(out, 'uint32', count)).toEqual(zeros);
    expect(native.compute.invalidIndices()).toBe(3);
    call(1);
    const modulo = new Map([...wrong].map(([at, value]) => [at, Number(((value % 700n) + 700n) % 700n)]));
    expect(get(out, 'uint32', count)).toEqual(counted(count).map(at => modulo.get(at) ?? at % LENGTH));
    expect(native.compute.invalidIndices()).toBe(0);
  });

  test('select rows in several blocks', () => {
    const [count, row] = [1030, 3];
    const places = counted(count).map(at => (at * 31) % 200);
    const out = block(4 * count * row);
    const layout = Float64Array.of(2, count, row, 0, 200, 0, 0, 12, 4, 0, 12, 4, 0, 4);
    compute.take(on(), 4, typeNumber('int32'), layout, [out, input(), put(encode('int32', places))]);
    expect(get(out, 'uint32', count * row)).toEqual(places.flatMap(at => [3 * at, 3 * at + 1, 3 * at + 2]));
  });
});

test('reads the index when the work runs', () => {
  const [input, index, out] = [put(encode('int32', [10, 20])), put(encode('int32', [0])), block(4)];
  on().beginCapture();
  compute.take(on(), 4, INT32, Float64Array.of(1, 1, 0, 2, 0, 0, 4, 0, 4, 0, 4), [out, input, index]);
  const graph = on().endCapture();
  index.writeFromHost(0, Int32Array.of(1), on());
  graph.launch(on());
  expect(get(out, 'int32', 1)).toEqual([20]);
  graph.destroy();
});

test('gathers nothing, and from nothing', () => {
  const [out, empty, index] = [put(encode('int32', [7])), block(0), put(encode('int32', [0]))];
  const before = on().sequence;
  compute.take(on(), 4, INT32, Float64Array.of(1, 0, 0, 1, 0, 0, 4, 0, 4, 0, 4), [out, out, index]);
  expect(on().sequence).toBe(before);
  const layout = (mode: number) => Float64Array.of(1, 1, 0, 0, mode, 0, 4, 0, 4, 0, 4);
  compute.take(on(), 4, INT32, layout(0), [out, empty, index]);
  expect(get(out, 'int32', 1)).toEqual([0]);
  expect(errorOf(() => compute.take(on(), 4, INT32, layout(1), [out, empty, index])).kind).toBe('argument');
});

test('refusals', () => {
  const [out, input, index] = [block(16), block(16), block(16)];
  const kind = (size: number, type: number, layout: number[]) =>
    errorOf(() => compute.take(on(), size, type, Float64Array.from(layout), [out, input, index])).kind;
  const right = [1, 4, 0, 4, 0, 0, 4, 0, 4, 0, 4];
  expect(kind(3, INT32, right)).toBe('argument');
  expect(kind(32, INT32, right)).toBe('argument');
  expect(kind(4, typeNumber('uint32'), right)).toBe('argument');
  expect(kind(4, INT64, right.with(-1, 8))).toBe('bounds');
  expect(kind(4, INT32, right.with(3, 5))).toBe('bounds');
  expect(kind(4, INT32, right.with(2, 1))).toBe('argument');
  expect(kind(4, INT32, right.with(4, 2))).toBe('argument');
  expect(kind(4, INT32, [0, 0, 4, 0, 0, 0, 0, 4])).toBe('argument');
});
