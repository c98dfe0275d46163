import { block, errorOf } from '../support.ts';
import { compute, encode, get, on, put, typeNumber } from './support.ts';

const counted = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

describe('spaced numbers', () => {
  const [F32, F64] = [typeNumber('float32'), typeNumber('float64')];

  test.each([0, 1, 511, 512, 513, 1023, 1024, 1025, 5000])('%i, also from unaligned addresses', count => {
    for (const [number, type, size] of [
      [F32, 'float32', 4],
      [F64, 'float64', 8]
    ] as const) {
      for (const offset of [0, size, 3]) {
        const out = put(encode('uint8', Array<number>(count * size + 16).fill(7)));
        compute.spaced(on(), number, -0.1, 1 / 3, Float64Array.of(count, offset), [out]);
        const exact = counted(count).map(at => -0.1 + at * (1 / 3));
        expect(get(out, type, count, offset)).toEqual(size === 4 ? exact.map(Math.fround) : exact);
        expect(get(out, 'uint8', 3, offset + count * size)).toEqual([7, 7, 7]);
        expect(get(out, 'uint8', offset)).toEqual(Array<number>(offset).fill(7));
      }
    }
  });

  test('that exceed the cache', () => {
    const count = 2 ** 21 + 1029;
    const out = block(4 * count + 4);
    compute.spaced(on(), F32, 5, -0.7, Float64Array.of(count, 4), [out]);
    const got = new Float32Array(count);
    out.readToHost(4, got, on());
    expect(got.findIndex((value, at) => value !== Math.fround(5 + at * -0.7))).toBe(-1);
    out.release();
  });

  test('refusals', () => {
    const kind = (type: number, ...layout: number[]) =>
      errorOf(() => compute.spaced(on(), type, 0, 1, Float64Array.from(layout), [block(16)])).kind;
    expect(kind(typeNumber('int32'), 4, 0)).toBe('argument');
    expect(kind(F32, 5, 0)).toBe('bounds');
    expect(kind(F32, 4, 4)).toBe('bounds');
    expect(kind(F32, -1, 0)).toBe('argument');
    expect(kind(F32, 4, 0, 0)).toBe('argument');
    expect(kind(F32, 4)).toBe('argument');
  });
});
