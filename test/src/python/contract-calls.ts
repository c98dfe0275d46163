/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-assignment -- what Python gives has no static type */
/** Behaviour of calls, errors, threads and output that every Python guarantees, wherever it runs. */

import {
  ArgumentError,
  BufferError,
  CopyRequiredError,
  DTypeError,
  IndexError,
  OutOfMemoryError,
  PythonError,
  ShapeError,
  type PyObject,
  type Python
} from '../../../src/index.ts';
import { until } from '../../setup/until.ts';
import { after, thrown } from './asking.ts';

/** Tests of the calls of `python`, which has started before they run. */
export function describeCalls(python: Python): void {
  describe('errors', () => {
    test('carry class, message, and both stacks', () => {
      const error = thrown(() => after(python, 'def deep(x):\n  return 1 / x', 'deep(0)')) as PythonError;
      expect(error).toBeInstanceOf(PythonError);
      expect(error).toMatchObject({
        code: 'ERR_PYTHON',
        type: 'ZeroDivisionError',
        message: 'ZeroDivisionError: division by zero'
      });
      expect(error.stack).toMatch(/contract-calls\.ts[^]*Traceback[^]*in deep/);
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
