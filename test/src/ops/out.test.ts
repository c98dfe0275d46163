/** Outputs of operations: new arrays, operands themselves, parts of them, and arrays that may not be written. */

import {
  add,
  arange,
  array,
  cuda,
  cumsum,
  DeviceError,
  DTypeError,
  empty,
  FreedError,
  fromCudaArrayInterface,
  matmul,
  mean,
  multiply,
  ReadOnlyError,
  ShapeError,
  sum,
  take,
  zeros,
  type CudaArrayInterface,
  type NDArray
} from '../../../src/index.ts';

const device = 'sim:0';
const float = { device, dtype: 'float32' } as const;
const grid = (): NDArray<'float32'> => arange(12, float).reshape(3, 4);
/** Imports the memory of an array again, as another storage. */
const aliasOf = (of: NDArray): NDArray =>
  fromCudaArrayInterface(of.__cuda_array_interface__ as CudaArrayInterface, { owner: of });
const values = (of: NDArray): unknown[] => [...(of.toTypedArray() as Float32Array)];

describe('out', () => {
  test('receives the result and is the return value', () => {
    const out = empty([3, 4], float);
    expect(add(grid(), 1, { out })).toBe(out);
    expect(values(out)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
  });

  test('can be an operand', () => {
    const a = grid();
    a.add(1, { out: a }).multiply(a, { out: a });
    expect(values(a)).toEqual([1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144]);
  });

  test('can be any view of an operand: shifted, reversed, transposed', () => {
    const shifted = arange(6, float);
    add(shifted.slice('1:'), 10, { out: shifted.slice(':-1') });
    expect(values(shifted)).toEqual([11, 12, 13, 14, 15, 5]);
    const forward = arange(6, float);
    add(forward.slice(':-1'), 10, { out: forward.slice('1:') });
    expect(values(forward)).toEqual([0, 10, 11, 12, 13, 14]);
    const turned = arange(5, float);
    add(turned, 0, { out: turned.slice('::-1') });
    expect(values(turned)).toEqual([4, 3, 2, 1, 0]);
    const square = arange(9, float).reshape(3, 3);
    add(square, 0, { out: square.T });
    expect(values(square)).toEqual([0, 3, 6, 1, 4, 7, 2, 5, 8]);
    const doubled = arange(4, float).reshape(2, 2);
    doubled.add(doubled.T, { out: doubled });
    expect(values(doubled)).toEqual([0, 3, 3, 6]);
  });

  test('can be any view of a large operand, which is processed in parts', () => {
    const count = 300_000;
    const forward = arange(count, float);
    add(forward.slice(':-1'), 1, { out: forward.slice('1:') });
    expect(values(forward).every((value, at) => value === at)).toBe(true);
    const turned = cuda.map((x: number, y: number) => x - y + x);
    const a = arange(count, float);
    turned(a, a.slice('::-1'), { out: a });
    expect(values(a).every((value, at) => value === 3 * at - (count - 1))).toBe(true);
    const square = arange(512 * 512, float).reshape(512, 512);
    add(square, square, { out: square.T });
    expect(square.item(3, 500)).toBe(2 * (500 * 512 + 3));
    expect(square.item(500, 3)).toBe(2 * (3 * 512 + 500));
  });

  test('can be a row that is broadcast', () => {
    const a = grid();
    add(a, a.slice(0), { out: a });
    expect(values(a)).toEqual([0, 2, 4, 6, 4, 6, 8, 10, 8, 10, 12, 14]);
    const b = grid();
    multiply(b.slice('1:2'), 2, { out: b.slice('1:2') });
    expect(values(b).slice(3, 9)).toEqual([3, 8, 10, 12, 14, 8]);
  });

  test('of interleaved elements does not mix them up', () => {
    const a = arange(8, float);
    add(a.slice('::2'), a.slice('1::2'), { out: a.slice('::2') });
    expect(values(a)).toEqual([1, 1, 5, 3, 9, 5, 13, 7]);
  });

  test('can be the same memory in another storage', () => {
    const a = arange(6, float);
    const b = aliasOf(a);
    expect(b.storage).not.toBe(a.storage);
    add(a.slice(':-1'), 10, { out: b.slice('1:') });
    expect(values(a)).toEqual([0, 10, 11, 12, 13, 14]);
    const c = arange(4, float).reshape(2, 2);
    const alias = aliasOf(c);
    matmul(c, c, { out: alias });
    expect(values(c)).toEqual([2, 3, 6, 11]);
    cumsum(c, { axis: 0, out: alias });
    expect(values(c)).toEqual([2, 3, 8, 14]);
  });

  test('of another type over the same bytes can be an operand', () => {
    const bits = array([1, 2, 3], { device, dtype: 'int32' });
    const out = empty(3, { device, dtype: 'float64' });
    add(bits, 1, { out });
    expect(values(out)).toEqual([2, 3, 4]);
  });

  test('of products and reductions can be an operand', () => {
    const a = array([1, 2, 3, 4], float).reshape(2, 2);
    a.matmul(a, { out: a });
    expect(values(a)).toEqual([7, 10, 15, 22]);
    matmul(a, a.T, { out: a.T });
    expect(values(a)).toEqual([149, 325, 325, 709]);
    const b = grid();
    sum(b, { axis: 0, out: b.slice(1) });
    expect(values(b).slice(4, 8)).toEqual([12, 15, 18, 21]);
    mean(b, { axis: 1, out: b.slice(':', 0) });
    expect(values(b.slice(':', 0))).toEqual([1.5, 16.5, 9.5]);
    const c = arange(5, float);
    cumsum(c, { out: c });
    expect(values(c)).toEqual([0, 1, 3, 6, 10]);
    const d = arange(5, float);
    take(d, array([4, 3, 2, 1, 0], { device, dtype: 'int32' }), { out: d });
    expect(values(d)).toEqual([4, 3, 2, 1, 0]);
  });

  test('can have a type of the same kind or a higher one', () => {
    const whole = array([1, 2, 300], { device, dtype: 'int32' });
    expect(
      values(add(whole, 0, { out: empty(3, { device, dtype: 'uint8' as const }).astype('int8') }))
    ).toEqual([1, 2, 44]);
    expect(values(whole.add(0.5, { out: empty(3, float) }))).toEqual([1.5, 2.5, 300.5]);
    expect(() => whole.add(0.5, { out: whole })).toThrow(DTypeError);
    expect(() => whole.add(0, { out: empty(3, { device, dtype: 'uint32' }) })).toThrow(
      /does not hold the result, int32/
    );
    expect(() => whole.add({ re: 1, im: 1 }, { out: empty(3, float) })).toThrow(DTypeError);
    expect(() => whole.add(1, { out: empty(3, { device, dtype: 'int4' }) })).toThrow(DTypeError);
    expect(() => sum(whole, { out: empty([], float) })).toThrow(DTypeError);
    expect(() => matmul(whole, whole, { out: empty([], float) })).toThrow(DTypeError);
  });

  test('of another shape, even a broadcastable one, is refused and not written', () => {
    const out = zeros([2, 3, 4], float);
    for (const call of [
      (): unknown => add(grid(), 1, { out }),
      (): unknown => add(grid(), 1, { out: zeros([4], float) }),
      (): unknown => sum(grid(), { axis: 0, out }),
      (): unknown => sum(grid(), { axis: 0, keepDims: true, out: zeros([4], float) }),
      (): unknown => matmul(grid(), grid().T, { out }),
      (): unknown => cumsum(grid(), { axis: 0, out }),
      (): unknown => take(grid(), array([0], { device, dtype: 'int64' }), { axis: 0, out })
    ]) {
      expect(call).toThrow(ShapeError);
    }
    expect(values(out).every(value => value === 0)).toBe(true);
  });

  test('that is read-only is refused', () => {
    const a = grid();
    const out = a.asReadOnly();
    expect(() => add(a, 1, { out })).toThrow(ReadOnlyError);
    expect(() => add(a, 1, { out: zeros([1, 4], float).broadcastTo([3, 4]) })).toThrow(ReadOnlyError);
    expect(() => sum(a, { axis: 0, out: out.slice(0) })).toThrow(ReadOnlyError);
    expect(() => matmul(a.T, a, { out: zeros([4, 4], float).asReadOnly() })).toThrow(ReadOnlyError);
    expect(values(out.add(1)).slice(0, 2)).toEqual([1, 2]);
  });

  test('on another device is refused, and so are operands', () => {
    const other = { device: 'rec:0', dtype: 'float32' } as const;
    expect(() => add(grid(), 1, { out: zeros([3, 4], other) })).toThrow(DeviceError);
    expect(() => add(grid(), zeros(4, other))).toThrow(/toDevice/);
    expect(() => matmul(grid(), zeros(4, other))).toThrow(DeviceError);
    expect(() => sum(grid(), { stream: zeros(1, other).stream })).toThrow(DeviceError);
  });

  test('that was freed is refused, and so are freed operands, empty ones too', () => {
    for (const shape of [
      [3, 4],
      [0, 4]
    ]) {
      const [freed, kept] = [zeros(shape, float), zeros(shape, float)];
      freed.dispose();
      const wave = cuda.map((x: number) => x + 1);
      for (const call of [
        (): unknown => add(freed, 1),
        (): unknown => add(kept, freed),
        (): unknown => add(kept, 1, { out: freed }),
        (): unknown => wave(freed),
        (): unknown => sum(freed),
        (): unknown => mean(freed),
        (): unknown => cumsum(freed, { axis: 0 }),
        (): unknown => matmul(kept, freed.T),
        (): unknown => freed.astype('float64'),
        (): unknown => take(freed, array([0], { device, dtype: 'int32' }), { axis: 1 })
      ]) {
        expect(call).toThrow(FreedError);
      }
    }
  });
});
