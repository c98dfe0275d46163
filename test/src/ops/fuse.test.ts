/** Fusion of several functions: which functions it accepts, and results equal to those of separate calls. */

import {
  add,
  arange,
  ArgumentError,
  array,
  DTypeError,
  exp,
  Expression,
  fuse,
  less,
  ShapeError,
  sin,
  where,
  zeros
} from '../../../src/index.ts';

const on = { device: 'sim:0' } as const;

describe('fuse', () => {
  test('gives the results of separate calls, with broadcasting and types', () => {
    const wave = fuse((x: Expression, y: Expression) => sin(x).multiply(y).add(1));
    const [a, b] = [
      arange(6, { ...on, dtype: 'float32' }).reshape(2, 3),
      arange(3, { ...on, dtype: 'int16' })
    ];
    const result = wave(a, b);
    expect(result.dtype.name).toBe('float32');
    expect(result.toNested()).toEqual(sin(a).multiply(b).add(1).toNested());
    const out = zeros([2, 3], on);
    expect(wave(a, b, { out })).toBe(out);
    expect(out.toNested()).toEqual(result.toNested());
    expect(() => wave(a, zeros(2, on))).toThrow(ShapeError);
  });

  test('accepts an array twice, and in place', () => {
    const both = fuse((x: Expression, y: Expression) => x.multiply(y).add(x));
    const a = arange(4, on);
    both(a, a, { out: a });
    expect(a.toNested()).toEqual([0, 2, 6, 12]);
    const turned = fuse((x: Expression, y: Expression) => x.subtract(y));
    turned(a, a.slice('::-1'), { out: a });
    expect(a.toNested()).toEqual([-12, -4, 4, 12]);
  });

  test('reads captured values at each call', () => {
    let factor: number | bigint = 2;
    const scaled = fuse((x: Expression) => x.multiply(factor));
    const a = arange(3, { ...on, dtype: 'int32' });
    expect(scaled(a).toNested()).toEqual([0, 2, 4]);
    factor = 3n;
    expect(scaled(a).toNested()).toEqual([0, 3, 6]);
    factor = 0.5;
    expect(scaled(a).dtype.name).toBe('float64');
    expect(scaled(a).toNested()).toEqual([0, 0.5, 1]);
  });

  test('works with one argument, and casts inside', () => {
    expect(fuse((x: Expression) => x)(arange(3, on)).toNested()).toEqual([0, 1, 2]);
    const cut = fuse((x: Expression) => x.astype('int8').add(1));
    expect(cut(array([1.75, -1.75], on)).toNested()).toEqual([2, 0]);
    const chosen = fuse((x: Expression) => where(less(x, 2), x.negative(), exp(x.multiply(0))));
    expect(chosen(arange(4, on)).toNested()).toEqual([-0, -1, 1, 1]);
  });

  test('computes a value that is used twice only once, at any depth', () => {
    const deep = fuse((x: Expression) => {
      let y = x;
      for (let step = 0; step < 40; step++) y = y.add(y);
      return y;
    });
    expect(deep(array([1], on)).item(0)).toBe(2 ** 40);
  });

  test('refuses operators, which would not see elements', () => {
    const a = arange(3, on);
    for (const body of [
      (x: Expression) => ((x as unknown as number) * 2) as unknown as Expression,
      (x: Expression) => ((x as unknown as number) > 1 ? x : x.negative()),
      (x: Expression) => `${x as unknown as string}` as unknown as Expression
    ]) {
      expect(() => fuse(body)(a)).toThrow(/write a\.add\(b\)/);
      expect(() => fuse(body)(a)).toThrow(ArgumentError);
    }
  });

  test('refuses captured arrays, other results, and calls without an array', () => {
    const a = arange(3, on);
    expect(() => fuse((x: Expression) => add(x, a as unknown as Expression))(a)).toThrow(
      /pass the array as an argument/
    );
    expect(() => fuse(() => 3 as unknown as Expression)(a)).toThrow(/expected an expression/);
    expect(() => fuse((x: Expression) => x)()).toThrow(ArgumentError);
    expect(() => fuse((x: Expression) => x.add(undefined as unknown as number))(a)).toThrow(ArgumentError);
    expect(() => fuse((x: Expression) => x.astype('int4'))(a)).toThrow(DTypeError);
  });

  test('fills with a value if the body uses no argument', () => {
    const made = fuse(() => Expression.value(2.5, 'float32'))(zeros(3, on));
    expect(made.toNested()).toEqual([2.5, 2.5, 2.5]);
    expect(made.dtype.name).toBe('float32');
  });
});
