/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call -- what Python gives has no static type */
/** Behaviour of values and objects that every Python guarantees, wherever it runs. */

import { inspect } from 'node:util';
import { ArgumentError, FreedError, scope, type PyObject, type Python } from '../../../src/index.ts';
import { after, thrown } from './asking.ts';

/** Properties that depend on where it runs. */
export interface Place {
  /** Name of the type of a JavaScript function in Python. */
  readonly functionType: string;
  /** Number of Python objects that JavaScript holds. */
  countHandles(): number;
  /** Runs the collector, and releases the objects that it found. */
  collect(): Promise<void>;
}

/** Tests of the values and objects of `python`, which has started before they run. */
export function describeValues(python: Python, place: Place): void {
  describe('values', () => {
    beforeAll(() => python.run('same = lambda x: x\nname = lambda x: type(x).__name__'));

    test.each([
      ['None', undefined],
      ['True', true],
      ['0', 0],
      ['-(2 ** 53 - 1)', -(2 ** 53 - 1)],
      ['2 ** 53', 2n ** 53n],
      ['-(2 ** 63)', -(2n ** 63n)],
      ['2 ** 64', 2n ** 64n],
      ['-(2 ** 1000)', -(2n ** 1000n)],
      ['1.5', 1.5],
      ['-0.0', -0],
      ['float("inf")', Infinity],
      ['""', ''],
      ['"a\\0b"', 'a\0b'],
      ['"\\U0001F600"', '😀'],
      ['"\\ud800"', '\ud800']
    ])('%s comes to JavaScript as %p and goes back as itself', (expression, value) => {
      expect(python.evaluate(expression)).toBe(value);
      python.run(`expected = ${expression}`);
      expect(
        (python.evaluate('lambda x: type(x) is type(expected) and x == expected') as PyObject)(value)
      ).toBe(true);
    });

    test.each([
      [null, 'NoneType'],
      [1, 'int'],
      [1.5, 'float'],
      [-0, 'float'],
      [NaN, 'float'],
      [2 ** 53, 'float'],
      [1n, 'int'],
      [[1, [2]], 'list'],
      [{ a: 1 }, 'dict'],
      [new Map([[1, 2]]), 'dict'],
      [new Set([1]), 'set'],
      [() => 1, place.functionType]
    ])('%p is of type %s', (value, name) => {
      expect((python.evaluate('name') as PyObject)(value)).toBe(name);
    });

    test('text of any length and letters is passed both ways, again and again', () => {
      const parts = python.evaluate('lambda x: [x, len(x)]') as PyObject;
      for (const letter of ['a', '\0', '\x7f', 'é', 'ÿ', 'Ω', '😀', '\ud800', '\udc00']) {
        for (const length of [0, 1, 17, 18, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 127, 128, 300]) {
          for (const text of [letter.repeat(length), `${'a'.repeat(length)}${letter}`]) {
            const expected = [text, [...text].length];
            expect(python.toJS(parts(text))).toEqual(expected);
            expect(python.toJS(parts(text))).toEqual(expected);
          }
        }
      }
    });

    test('JavaScript has no 4.0: float and int say which it is', () => {
      const name = python.evaluate('name') as PyObject;
      expect([name(python.float(4)), name(python.int(4)), name(python.str('a'))]).toEqual([
        'float',
        'int',
        'str'
      ]);
      expect(() => python.int(1.5)).toThrow('an int needs a bigint or a whole number');
    });

    test('structures are copied to JavaScript on request, however deep', () => {
      const value: unknown = python.evaluate('{"a": [1, (None, {2})], "b": {1: "x"}, "c": b"\\x00\\xff"}');
      expect(python.toJS(value)).toEqual({
        a: [1, [null, new Set([2])]],
        b: new Map([[1, 'x']]),
        c: Uint8Array.of(0, 255)
      });
      expect(thrown(() => python.toJS(after(python, 'ring = []\nring.append(ring)', 'ring')))).toMatchObject({
        type: 'RecursionError'
      });
    });

    test('bytes are copied both ways, also of a part of a buffer', () => {
      const part = new Uint8Array([1, 2, 3, 4]).subarray(1, 3);
      expect(python.toJS(python.bytes(part))).toEqual(Uint8Array.of(2, 3));
      expect(python.toJS(python.bytes(new DataView(new ArrayBuffer(3), 1)))).toEqual(Uint8Array.of(0, 0));
      expect(python.toJS(python.bytes(new Uint8Array(0)))).toEqual(new Uint8Array(0));
    });

    test.each([[Symbol('s')], [new Uint8Array(2)], [new Date()], [new (class Own {})()]])(
      '%p has no counterpart, which an error says',
      value => {
        expect(() => (python.evaluate('same') as PyObject)(value)).toThrow(ArgumentError);
      }
    );
  });

  describe('objects', () => {
    const make = (): PyObject => {
      python.run('class Point:\n  kind = "point"\n  def __init__(self, x, y=0): self.x, self.y = x, y\n');
      python.run('  # more\nPoint.__repr__ = lambda self: f"Point({self.x}, {self.y})"');
      return python.evaluate('Point') as PyObject;
    };

    test('attributes are read, set, tested, deleted and listed', () => {
      const point = make()(1, python.kw({ y: 2 })) as PyObject;
      point['x'] = [5];
      expect(python.toJS(point['x'])).toEqual([5]);
      expect(['y' in point, 'z' in point, point['z']]).toEqual([true, false, undefined]);
      delete point['y'];
      expect('y' in point).toBe(false);
      expect(Object.keys(point)).toContain('kind');
      expect(() => delete point['y']).toThrow(/^AttributeError: .*y/);
    });

    test('are called with and without new, with many arguments and keywords', () => {
      const Point = make();
      expect(inspect(new Point(1, 2))).toBe('Point(1, 2)');
      const collect = python.evaluate('lambda *a, **k: (list(a), k)') as PyObject;
      expect(python.toJS(collect(1, 2, 3, 4, 5, 6, 7, 8))).toEqual([[1, 2, 3, 4, 5, 6, 7, 8], {}]);
      expect(python.toJS(collect(python.kw({ self: 1 })))).toEqual([[], { self: 1 }]);
    });

    test('are called with the same keywords again, with others, and in another order', () => {
      const collect = python.evaluate('lambda *a, **k: [list(a), list(k.items())]') as PyObject;
      const called = (...values: unknown[]): unknown => python.toJS(collect(...values));
      for (const [a, b] of [
        [1, 'x'],
        [null, [2]],
        [-0, { c: 3 }]
      ]) {
        expect(called(python.kw({ a, b }))).toEqual([
          [],
          [
            ['a', a],
            ['b', b]
          ]
        ]);
        expect(called(7, 8, python.kw({ b, a }))).toEqual([
          [7, 8],
          [
            ['b', b],
            ['a', a]
          ]
        ]);
      }
      expect(called(1, python.kw({}))).toEqual([[1], []]);
      expect(called(python.kw({ 'a\0b': 1, 'no name': 2, ä: 3 }))).toEqual([
        [],
        [
          ['a\0b', 1],
          ['no name', 2],
          ['ä', 3]
        ]
      ]);
      expect(called(python.kw({ a: 1, 'b\0c': 2 }))).not.toEqual(called(python.kw({ 'a\0b': 1, c: 2 })));
    });

    test('keep their keywords apart, however many names there were', () => {
      const collect = python.evaluate('lambda **k: k') as PyObject;
      for (let name = 0; name < 1500; name++) {
        const values = { [`name${name}`]: name, last: 1 };
        if (name % 250 === 0) expect(python.toJS(collect(python.kw(values)))).toEqual(values);
        else collect(python.kw(values));
      }
      expect(python.toJS(collect(python.kw({ name3: 3, last: 1 })))).toEqual({ name3: 3, last: 1 });
    });

    test('refuse keywords that are given twice, unknown or missing, like Python', () => {
      const f = python.evaluate('lambda a, *, b=0: (a, b)') as PyObject;
      expect(() => f(1, python.kw({ a: 2 }))).toThrow(/^TypeError: .*multiple values for argument 'a'/);
      expect(() => f(1, python.kw({ c: 2 }))).toThrow(/^TypeError: .*unexpected keyword argument 'c'/);
      expect(() => f(python.kw({ b: 2 }))).toThrow(
        /^TypeError: .*missing 1 required positional argument: 'a'/
      );
      expect(python.toJS(f(python.kw({ b: 2, a: 1 })))).toEqual([1, 2]);
      expect(() => f(1, python.kw({ b: Symbol('none') }))).toThrow(ArgumentError);
    });

    test('are shown by their repr, made text by str and numbers by float', () => {
      const half: unknown = after(python, 'from fractions import Fraction', 'Fraction(1, 2)');
      expect([inspect(half), String(half), Number(half), (half as number) + 1]).toEqual([
        'Fraction(1, 2)',
        '1/2',
        0.5,
        1.5
      ]);
    });

    test('are iterated, indexed and sliced', () => {
      const list = python.list([1, 'b', null]);
      expect([...list]).toEqual([1, 'b', undefined]);
      expect(python.item(list, -2)).toBe('b');
      expect(python.toJS(python.item(list, python.slice(undefined, 2)))).toEqual([1, 'b']);
      python.setItem(list, 0, 7);
      python.deleteItem(list, 1);
      expect(python.toJS(list)).toEqual([7, null]);
      expect(() => [...(python.import('math') as Iterable<unknown>)]).toThrow('TypeError');
    });

    test('an iterator that is left in the middle or raises is ended', () => {
      python.run('def count():\n  yield 1\n  yield 2\n  raise KeyError("end")');
      const seen: unknown[] = [];
      for (const value of python.evaluate('count()') as Iterable<unknown>) {
        seen.push(value);
        break;
      }
      expect(seen).toEqual([1]);
      expect(() => [...(python.evaluate('count()') as Iterable<unknown>)]).toThrow("KeyError: 'end'");
    });

    test('are no promises, and identity is told by `is`', async () => {
      const list = python.list([]);
      expect(await Promise.resolve(list)).toBe(list);
      python.run('one = object()');
      expect(python.is(python.evaluate('one'), python.evaluate('one'))).toBe(true);
      expect(python.is(python.list([]), python.list([]))).toBe(false);
      expect(python.truth(list)).toBe(false);
    });

    test('that were let go of are refused by name, and letting go twice is nothing', () => {
      const list = python.list([1]);
      list[Symbol.dispose]();
      list[Symbol.dispose]();
      expect(() => list['append'](1)).toThrow(FreedError);
    });

    test('made in a scope go with it, those that it returns stay', () => {
      python.run(
        'import weakref\nclass Held: pass\nwatched = []\ndef hold():\n  h = Held()\n  watched.append(weakref.ref(h))\n  return h'
      );
      const hold = python.evaluate('hold') as PyObject;
      const kept = scope(() => {
        hold();
        return hold() as PyObject;
      });
      expect(python.toJS(python.evaluate('[ref() is None for ref in watched]'))).toEqual([true, false]);
      kept[Symbol.dispose]();
      expect(python.evaluate('watched[1]() is None')).toBe(true);
    });

    test('dropped ones are let go of when the collector has run', async () => {
      const before = place.countHandles();
      for (let round = 0; round < 2_000; round += 1) python.list([round]);
      await place.collect();
      expect(place.countHandles() - before).toBeLessThan(200);
    });
  });
}
