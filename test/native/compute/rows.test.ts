/** Copies of rows and tiles between views, and programs that run row by row. */

import type { ElementTypeName } from '../../../src/compute/program/element-types.ts';
import { block } from '../support.ts';
import { compute, encode, itemsize, on, plain, program, put } from './support.ts';

const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
/** Bytes without a short period. */
const noise = (count: number): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(counted(count), index => (Math.imul(index + 1, 0x9e3779b1) >>> 13) & 0xff);

interface View {
  readonly offset: number;
  readonly strides: readonly number[];
}
const placeOf = ({ offset, strides }: View, index: readonly number[]): number =>
  index.reduce((sum, at, axis) => sum + at * strides[axis]!, offset);

function indicesOf(shape: readonly number[]): number[][] {
  return shape.reduce<number[][]>(
    (known, length) => known.flatMap(index => counted(length).map(at => [...index, at])),
    [[]]
  );
}

/** Copies elements of a type between views and compares every byte of the target with a copy in JavaScript. */
function expectCopied(type: ElementTypeName, shape: number[], to: View, from: View, bytes: number): void {
  const size = itemsize(type);
  const [source, before] = [noise(bytes), new Uint8Array(bytes).fill(0xee)];
  const [input, out] = [put(source), put(before)];
  const code = program([type], [], [[0, type]]);
  const layout = [shape.length, ...shape, to.offset, ...to.strides, from.offset, ...from.strides];
  compute.elementwise(on(), code, Float64Array.from(layout), [out, input]);
  for (const index of indicesOf(shape)) {
    const at = placeOf(from, index);
    before.set(source.subarray(at, at + size), placeOf(to, index));
  }
  const got = Buffer.alloc(bytes);
  out.readToHost(0, got, on());
  expect(got.equals(before)).toBe(true);
  for (const storage of [input, out]) storage.release();
}

const OF_SIZE = ['uint8', 'uint16', 'uint32', 'uint64', 'complex128'] as const;

describe.each(OF_SIZE)('copies of %s', type => {
  const size = itemsize(type);

  test.each([
    [31, 33],
    [32, 32],
    [33, 70],
    [64, 96],
    [100, 65]
  ])('transposed, %i by %i', (rows, columns) => {
    const bytes = 2 * rows * columns * size + 256;
    const plainly = plain([rows, columns], size);
    const across = [size, rows * size];
    const shape = [rows, columns];
    expectCopied(type, shape, { offset: 0, strides: plainly }, { offset: 0, strides: across }, bytes);
    // From and to addresses that are not aligned.
    expectCopied(type, shape, { offset: 3, strides: plainly }, { offset: 5, strides: across }, bytes);
    // Rows with gaps, read from the end.
    const gaps = [(columns + 1) * size, size];
    const last = size * (rows * columns - 1);
    const back = across.map(stride => -stride);
    expectCopied(type, shape, { offset: 0, strides: gaps }, { offset: last, strides: back }, bytes);
    // Elements with gaps on either side.
    const wide = plain([rows, columns], 2 * size);
    expectCopied(type, shape, { offset: 0, strides: wide }, { offset: 0, strides: across }, bytes);
    const apart = across.map(stride => 2 * stride);
    expectCopied(type, shape, { offset: 0, strides: plainly }, { offset: 0, strides: apart }, bytes);
  });

  test('of three axes, the first of which becomes the last', () => {
    const [x, y, z] = [40, 3, 34];
    const to = { offset: 0, strides: plain([z, x, y], size) };
    const from = { offset: 0, strides: [size, y * z * size, z * size] };
    expectCopied(type, [z, x, y], to, from, x * y * z * size);
  });

  test.each([63, 64, 65, 256, 1025])('rows of %i: stepped, reversed and broadcast', length => {
    const rows = 3;
    const bytes = 2 * rows * length * size + 16;
    const to = { offset: 0, strides: plain([rows, length], size) };
    for (const step of [2, -1, -2, 0]) {
      const start = step < 0 ? -step * (length - 1) * size : 0;
      const strides = [2 * length * size, step * size];
      expectCopied(type, [rows, length], to, { offset: start, strides }, bytes);
      expectCopied(type, [rows, length], to, { offset: start, strides: [0, step * size] }, bytes);
    }
    const gaps = { offset: size, strides: [(2 * length - 1) * size, size] };
    expectCopied(type, [rows, length], gaps, { offset: 0, strides: [2 * length * size, size] }, bytes);
  });
});

describe('rows of several axes', () => {
  const single = () => program(['float32', 'float32'], [['add', 'float32', 0, 1]], [[2, 'float32']]);
  const double = () =>
    program(
      ['float32', 'float32'],
      [
        ['add', 'float32', 0, 1],
        ['multiply', 'float32', 2, 1]
      ],
      [[3, 'float32']]
    );

  test.each([63, 64, 65, 255, 256, 257, 1024, 1500])('%i elements long', length => {
    const shape = [2, 3, length];
    const count = 6 * length;
    const a = put(encode('float32', counted(2 * count)));
    const whole = plain(shape, 4);
    const others: View[] = [
      { offset: 0, strides: [0, 0, 4] },
      { offset: 0, strides: [12, 4, 0] },
      { offset: 0, strides: [0, 0, 0] },
      { offset: 0, strides: [24 * length, 8 * length, 8] },
      { offset: 4 * (length - 1), strides: [12 * length, 4 * length, -4] }
    ];
    const outs: View[] = [
      { offset: 0, strides: whole },
      { offset: 1, strides: whole },
      { offset: 0, strides: [24 * length, 8 * length, 8] }
    ];
    for (const b of others) {
      for (const to of outs) {
        const out = block(8 * count + 4);
        const call = (code: ReturnType<typeof program>) =>
          compute.elementwise(
            on(),
            code,
            Float64Array.of(3, ...shape, to.offset, ...to.strides, 0, ...whole, b.offset, ...b.strides),
            [out, a, a]
          );
        const got = () => {
          const bytes = new Uint8Array(8 * count + 4);
          out.readToHost(0, bytes, on());
          const view = new DataView(bytes.buffer);
          return indicesOf(shape).map(index => view.getFloat32(placeOf(to, index), true));
        };
        const pairs = indicesOf(shape).map(
          (index, at) => [at, (placeOf(b, index) / 4) % (2 * count)] as const
        );
        call(single());
        expect(got()).toEqual(pairs.map(([x, y]) => Math.fround(x + y)));
        call(double());
        expect(got()).toEqual(pairs.map(([x, y]) => Math.fround(Math.fround(x + y) * y)));
        out.release();
      }
    }
    a.release();
  });
});
