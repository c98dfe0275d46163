/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-assignment -- what Python gives has no static type */
/** Behaviour that every Python guarantees, wherever it runs. */

import { inspect } from 'node:util';
import {
  ArgumentError,
  BufferError,
  CopyRequiredError,
  DTypeError,
  FreedError,
  IndexError,
  OutOfMemoryError,
  PythonError,
  scope,
  ShapeError,
  type PyObject,
  type Python
} from '../../../src/index.ts';
import { until } from '../../setup/until.ts';
import { thrown } from './asking.ts';

/** Properties that depend on where it runs. */
export interface Place {
  /** Name of the type of a JavaScript function in Python. */
  readonly functionType: string;
  /** Number of Python objects that JavaScript holds. */
  countHandles(): number;
  /** Runs the collector, and releases the objects that it found. */
  collect(): Promise<void>;
}

/** Tests of `python`, which has started before they run. */
export function describePython(python: Python, place: Place): void {
  /** Runs statements and returns the value of an expression. */
  function after(statements: string, expression: string): unknown {
    python.run(statements);
    return python.evaluate(expression);
  }

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
      expect(thrown(() => python.toJS(after('ring = []\nring.append(ring)', 'ring')))).toMatchObject({
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
      const half: unknown = after('from fractions import Fraction', 'Fraction(1, 2)');
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

  describe('errors', () => {
    test('carry class, message, and both stacks', () => {
      const error = thrown(() => after('def deep(x):\n  return 1 / x', 'deep(0)')) as PythonError;
      expect(error).toBeInstanceOf(PythonError);
      expect(error).toMatchObject({
        code: 'ERR_PYTHON',
        type: 'ZeroDivisionError',
        message: 'ZeroDivisionError: division by zero'
      });
      expect(error.stack).toMatch(/contract\.ts[^]*Traceback[^]*in deep/);
    });

    test('of syntax, of imports, and SystemExit leave the process alive', () => {
      expect(thrown(() => python.run('def'))).toMatchObject({ type: 'SyntaxError' });
      const missing = thrown(() => python.import('no_such_module')) as PythonError;
      expect(missing.type).toBe('ModuleNotFoundError');
      const { executable, version } = python.start();
      expect(missing.message).toContain(
        `This is ${executable} (Python ${version}): install the module there, or`
      );
      expect(thrown(() => python.run('import sys\nsys.exit(3)'))).toMatchObject({ type: 'SystemExit' });
      expect(python.evaluate('1 + 1')).toBe(2);
    });

    test('whose __str__ raises are described all the same', () => {
      python.run('class Bad(Exception):\n  def __str__(self): raise ValueError("no")');
      expect(thrown(() => python.run('raise Bad()'))).toMatchObject({
        message: expect.stringContaining('Bad')
      });
    });

    test('of JavaScript pass through Python as themselves, and Python can catch them', () => {
      const own = new RangeError('mine');
      const fail = (): never => {
        throw own;
      };
      python.run(
        'def apply(f): return f()\ndef guard(f):\n  try: f()\n  except Exception as e: return str(e)'
      );
      expect(thrown(() => (python.evaluate('apply') as PyObject)(fail))).toBe(own);
      expect((python.evaluate('guard') as PyObject)(fail)).toBe('RangeError: mine');
    });

    test('let go at once of what the frames that failed held, and of what those of their causes held', () => {
      python.run(`
import weakref
class Held: pass
locals_of = []
def hold():
  held = Held()
  locals_of.append(weakref.ref(held))
  return held
def inner(held):
  raise LookupError("first")
def values():
  held = hold()
  yield 1
  raise ValueError("second", held is None)
def failing():
  held = hold()
  try:
    inner(hold())
  except LookupError as error:
    try:
      list(values())
    except ValueError as second:
      second.__notes__ = ["a note"]
      raise second from error
`);
      const error = thrown(() => python.run('failing()')) as PythonError;
      expect(python.toJS(python.evaluate('[ref() is None for ref in locals_of]'))).toEqual([
        true,
        true,
        true
      ]);
      expect(error.traceback).toMatch(/in inner[^]*LookupError: first[^]*in failing[^]*in values/);
      python.run(`
def again(f):
  import traceback
  try: f()
  except ValueError as error:
    return [error.args[0], str(error.__cause__), error.__notes__, "in values" in "".join(traceback.format_exception(error))]
`);
      const again = python.evaluate('again') as PyObject;
      const rethrow = (): never => {
        throw error;
      };
      expect(python.toJS(again(rethrow))).toEqual(['second', 'first', ['a note'], true]);
    });

    test('leave alone what runs and what is suspended', async () => {
      python.run(`
caught = []
def suspended():
  kept = "mine"
  try: inner(None)
  except LookupError as error: caught.append(error)
  yield kept
  yield kept
async def waiting(seen):
  import asyncio
  kept = "mine"
  try:
    await asyncio.sleep(0)
    inner(None)
  except LookupError as error: seen(error)
  await asyncio.sleep(0)
  return kept
def running(f):
  kept = "mine"
  try: inner(None)
  except LookupError as error:
    try: f(error)
    except LookupError: pass
  return kept
def raise_again(error): raise error
generator = suspended()
next(generator)
`);
      const raiseAgain = python.evaluate('raise_again') as PyObject;
      const attempt = (error: unknown): void => void thrown(() => raiseAgain(error));
      attempt(python.evaluate('caught[0]'));
      expect(python.evaluate('next(generator)')).toBe('mine');
      expect((python.evaluate('running') as PyObject)(attempt)).toBe('mine');
      const waiting = python.evaluate('waiting') as PyObject;
      expect(await python.promise(waiting(attempt) as PyObject)).toBe('mine');
    });

    test.each([
      ['a TypeError', () => new TypeError('no'), 'TypeError'],
      ['a RangeError', () => new RangeError('no'), 'ValueError'],
      ['an ArgumentError', () => new ArgumentError('no'), 'ValueError TypeError'],
      ['a DTypeError', () => new DTypeError('no'), 'TypeError'],
      ['a ShapeError', () => new ShapeError('no'), 'ValueError'],
      ['an IndexError', () => new IndexError('no'), 'IndexError'],
      ['a BufferError', () => new BufferError('no'), 'BufferError'],
      ['a CopyRequiredError', () => new CopyRequiredError('no'), 'BufferError ValueError'],
      ['an OutOfMemoryError', () => new OutOfMemoryError('no', 8, 'cuMemAlloc_v2'), 'MemoryError']
    ])('of JavaScript are caught by the classes of Python: %s', (_, make, classes) => {
      const own = make();
      const fail = (): never => {
        throw own;
      };
      python.run(
        'def caught(f, names):\n  import builtins\n  for name in names.split():\n    try: f()\n    except getattr(builtins, name) as e: last = e\n  return [type(last).__name__, str(last)]\ndef passed(f): f()'
      );
      expect(python.toJS((python.evaluate('caught') as PyObject)(fail, `${classes} Exception`))).toEqual([
        'JavaScriptError',
        `${own.name}: no`
      ]);
      expect(thrown(() => (python.evaluate('passed') as PyObject)(fail))).toBe(own);
    });

    test('of Python pass through JavaScript as themselves', () => {
      python.run(
        'def inner(): raise LookupError("x")\ndef outer(f):\n  try: f()\n  except LookupError as e: return type(e).__name__'
      );
      const inner = python.evaluate('inner') as PyObject;
      expect((python.evaluate('outer') as PyObject)(() => inner())).toBe('LookupError');
    });
  });

  describe('functions of JavaScript', () => {
    test('are called with values and keywords, and come back as themselves', () => {
      python.run('def call(f, *a, **k): return f(*a, **k)');
      const call = python.evaluate('call') as PyObject;
      const seen: unknown[] = [];
      const note = (...values: unknown[]): number => seen.push(...values);
      expect(call(note, 1, 'b', python.kw({ c: null }))).toBe(3);
      expect(seen).toEqual([1, 'b', { c: undefined }]);
      expect((python.evaluate('lambda f: f') as PyObject)(note)).toBe(note);
    });

    test('are one callable while a turn lasts, and are called with many values and keywords', async () => {
      python.run('held = []');
      const hold = python.evaluate('held.append') as PyObject;
      const same = (...values: unknown[]): unknown => values.length;
      hold(same);
      hold(same);
      await new Promise(resolve => setImmediate(resolve));
      hold(same);
      expect(python.evaluate('[held[0] is held[1], held[0] is held[2]] == [True, False]')).toBe(true);
      expect(python.evaluate('held[0](*range(20), a=1, b=2) + held[2]()')).toBe(21);
      for (let index = 0; index < 100; index++) hold(() => index);
      expect(python.evaluate('[f() for f in held[3:]] == list(range(100))')).toBe(true);
      python.run('held.clear()');
    });

    test('nest: Python calls JavaScript calls Python', () => {
      python.run('def down(n, f): return 0 if n == 0 else 1 + f(n - 1)');
      const down = python.evaluate('down') as PyObject;
      const step = (n: number): unknown => down(n, step);
      expect(step(50)).toBe(50);
    });

    test('called by another thread run on this one, in a turn of its event loop', async () => {
      python.run(
        'import threading\ndef spawn(f):\n  threading.Thread(target=lambda: f(threading.get_ident())).start()\n  return threading.get_ident()'
      );
      const spawn = python.evaluate('spawn') as PyObject;
      const other = await new Promise(resolve => {
        const here: unknown = spawn((there: unknown) => resolve(there !== here));
      });
      expect(other).toBe(true);
    });

    test('sort keys, and a callback that gives nonsense is an error of Python', () => {
      const builtins = python.builtins;
      const sorted: unknown = builtins['sorted'](
        ['bb', 'a'],
        python.kw({ key: (text: string) => text.length })
      );
      expect(python.toJS(sorted)).toEqual(['a', 'bb']);
      expect(() => builtins['sorted']([1, 2], python.kw({ key: () => Symbol('no') }))).toThrow('a symbol');
    });
  });

  describe('other threads', () => {
    test('callAsync takes keywords, and lets go of the containers and arrays that it passed', async () => {
      python.run(`
import weakref
class Kept(list): pass
def keep(*values, **named):
  global last
  last = weakref.ref(named["item"][0])
  return [*values, sorted(named), last() is None]
kept = Kept()`);
      const kept = python.evaluate('kept') as PyObject;
      const result: unknown = await python.callAsync(
        python.evaluate('keep') as PyObject,
        1,
        [2],
        python.kw({ item: [kept], z: 3 })
      );
      expect(python.toJS(result)).toEqual([1, [2], ['item', 'z'], false]);
      (result as PyObject)[Symbol.dispose]();
      kept[Symbol.dispose]();
      python.run('del kept');
      // The thread of the call ends a moment later, and the next message of a process carries the releases.
      await until(() => python.evaluate('last() is None') === true);
    });

    test('callAsync leaves JavaScript free and gives the value or the error', async () => {
      python.run(
        'import threading\ngo = threading.Event()\ndef wait(x):\n  go.wait()\n  if x is None: raise ValueError("none")\n  return x'
      );
      const wait = python.evaluate('wait') as PyObject;
      let turns = 0;
      // Nothing else lets them continue.
      const counting = setInterval(() => {
        turns += 1;
        if (turns === 3) python.run('go.set()');
      }, 1);
      const results = await Promise.all([wait, wait].map(f => python.callAsync(f, 5)));
      clearInterval(counting);
      expect(results).toEqual([5, 5]);
      await expect(python.callAsync(wait, null)).rejects.toMatchObject({ type: 'ValueError' });
    });
  });

  describe('output', () => {
    test('prints leave through the streams of JavaScript', () => {
      const written: string[] = [];
      const { write } = process.stdout;
      process.stdout.write = (text: unknown) => written.push(String(text)) > 0;
      try {
        python.run('import sys\nprint("a", 1)\nprint("é", end="")');
      } finally {
        process.stdout.write = write;
      }
      expect(written.join('')).toBe('a 1\né');
      expect(python.evaluate('sys.stdout.isatty()')).toBe(false);
    });
  });
}
