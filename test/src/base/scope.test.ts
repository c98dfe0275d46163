import { arange, FreedError, scope, zeros, type NDArray } from '../../../src/index.ts';

const options = { device: 'sim:0' };

describe('scope', () => {
  test('rule 233: disposes arrays and views created inside, but not those that are returned', () => {
    const made: NDArray[] = [];
    const result = scope(() => {
      const array = arange(6, options);
      made.push(array, array.slice('1:'), zeros(3, options));
      return array;
    });
    expect(result).toBe(made[0]);
    expect(made.map(array => array.freed)).toEqual([false, true, true]);
    expect(result.size).toBe(6);
    expect(() => made[1]?.pointer).toThrow(FreedError);
    result.dispose();
  });

  test('rule 233: keeps arrays in the result, however deep', () => {
    const result = scope(() => {
      const [a, b, c, lost] = [1, 2, 3, 4].map(size => zeros(size, options)) as [
        NDArray,
        NDArray,
        NDArray,
        NDArray
      ];
      const cyclic: Record<string, unknown> = { list: [a, { b }], map: new Map([['c', c]]), lost: lost.size };
      cyclic['self'] = cyclic;
      return { cyclic, a, b, c, check: () => lost.freed };
    });
    expect([result.a, result.b, result.c].map(array => array.freed)).toEqual([false, false, false]);
    expect(result.check()).toBe(true);
  });

  test('rule 233: works as a declaration, and keeps arrays by name', () => {
    let kept: NDArray;
    let dropped: NDArray;
    {
      using opened = scope();
      dropped = zeros(2, options);
      kept = opened.keep(zeros(2, options));
    }
    expect(dropped.freed).toBe(true);
    expect(kept.freed).toBe(false);
  });

  test('arrays that an inner scope keeps belong to the outer one', () => {
    let inner: NDArray | undefined;
    scope(() => {
      inner = scope(() => zeros(2, options));
      expect(inner.freed).toBe(false);
    });
    expect(inner?.freed).toBe(true);
  });

  test('disposes when the body throws, and refuses asynchronous bodies', () => {
    let array: NDArray | undefined;
    expect(() =>
      scope(() => {
        array = zeros(2, options);
        throw new RangeError('inside');
      })
    ).toThrow(RangeError);
    expect(array?.freed).toBe(true);
    expect(() => scope(() => Promise.resolve((array = zeros(2, options))))).toThrow(TypeError);
    expect(array?.freed).toBe(true);
  });

  test('disposes the others if one throws', () => {
    const opened = scope();
    const array = zeros(2, options);
    opened.add({
      [Symbol.dispose]: () => {
        throw new RangeError('no');
      }
    });
    const last = zeros(2, options);
    expect(() => opened.dispose()).toThrow(RangeError);
    expect([array.freed, last.freed]).toEqual([true, true]);
  });

  test('closes inner scopes that were left open, and can be disposed twice', () => {
    const outer = scope();
    const inner = scope();
    const array = zeros(2, options);
    outer.dispose();
    expect(array.freed).toBe(true);
    inner.dispose();
    outer.dispose();
    const after = zeros(2, options);
    expect(after.freed).toBe(false);
  });

  test('an array disposed inside stays disposed, one from outside stays alive', () => {
    const outside = zeros(2, options);
    scope(() => {
      zeros(2, options).dispose();
      expect(outside.size).toBe(2);
    });
    expect(outside.freed).toBe(false);
  });
});
