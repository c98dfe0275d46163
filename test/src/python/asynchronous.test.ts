/* eslint-disable @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-assignment -- what Python gives has no static type */
/** asyncio and promises: Python's awaitables in JavaScript, JavaScript's promises in Python. */

import { python, PythonError, type PyObject } from '../../../src/index.ts';
import { pass } from '../../setup/until.ts';
import { describeWith, obstacle, pythonOfTests } from './environment.ts';

if (obstacle === null) python.start({ python: pythonOfTests });

/** Runs statements and returns the value of an expression. */
function after(statements: string, expression: string): PyObject {
  python.run(statements);
  return python.evaluate(expression) as PyObject;
}

async function failure(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    value => Promise.reject(new Error(`came to ${String(value)}`)),
    (error: unknown) => error
  );
}

describeWith([], 'awaitables of Python', () => {
  beforeAll(() =>
    python.run(`
import asyncio, concurrent.futures, contextvars, threading
async def echo(value, delay=0.01):
  await asyncio.sleep(delay)
  return value
async def fail():
  await asyncio.sleep(0)
  return {}["missing"]
`)
  );

  test('become promises: a coroutine, a task, a future of threads, an object with __await__', async () => {
    const echo = python.evaluate('echo') as PyObject;
    expect(await python.promise(echo(5))).toBe(5);
    expect(await python.promise(echo(null))).toBeUndefined();
    expect(python.toJS(await python.promise(echo([1, 'a'])))).toEqual([1, 'a']);
    const own = after(
      'class Own:\n  def __await__(self): return (yield from echo("own").__await__())\npool = concurrent.futures.ThreadPoolExecutor(1)',
      'Own()'
    );
    expect(await python.promise(own)).toBe('own');
    expect(await python.promise(python.evaluate('pool.submit(lambda: 7)') as PyObject)).toBe(7);
    python.run('async def task(): return asyncio.get_running_loop().create_task(echo("task"))');
    const task = (await python.promise(python.evaluate('task()') as PyObject)) as PyObject;
    expect([await python.promise(task), await python.promise(task)]).toEqual(['task', 'task']);
  });

  test('run at the same time, while JavaScript continues', async () => {
    let turns = 0;
    const counting = setInterval(() => (turns += 1), 1);
    python.run('most = now = 0');
    const counted = after(
      'async def count():\n  global most, now\n  now += 1\n  most = max(most, now)\n  await asyncio.sleep(0.05)\n  now -= 1',
      'count'
    );
    await Promise.all(Array.from({ length: 20 }, () => python.promise(counted())));
    clearInterval(counting);
    expect(python.evaluate('most')).toBe(20);
    expect(turns).toBeGreaterThan(2);
  });

  test('raise as PythonError with both stacks', async () => {
    async function caller(): Promise<unknown> {
      return await python.promise(python.evaluate('fail()') as PyObject);
    }
    const error = (await failure(caller())) as PythonError;
    expect(error).toBeInstanceOf(PythonError);
    expect(error).toMatchObject({ type: 'KeyError', message: "KeyError: 'missing'" });
    expect(error.stack).toMatch(/caller[^]*Traceback[^]*in fail/);
  });

  test('other objects are refused by the name of their class', async () => {
    expect(await failure(python.promise(python.list([])))).toMatchObject({
      message: expect.stringContaining('a list cannot be awaited')
    });
  });

  test('that raise SystemExit or are cancelled in Python do not end the loop', async () => {
    python.run('async def leave(): raise SystemExit(3)\nasync def give_up(): raise asyncio.CancelledError()');
    expect(await failure(python.promise(python.evaluate('leave()') as PyObject))).toMatchObject({
      type: 'SystemExit'
    });
    expect(await failure(python.promise(python.evaluate('give_up()') as PyObject))).toMatchObject({
      type: expect.stringContaining('CancelledError')
    });
    expect(await python.promise(python.evaluate('echo(1)') as PyObject)).toBe(1);
  });

  test('a future of another event loop is awaited there', async () => {
    python.run(
      'other = asyncio.new_event_loop()\nthreading.Thread(target=other.run_forever, daemon=True).start()'
    );
    python.run('foreign = other.create_future()\nother.call_soon_threadsafe(foreign.set_result, 11)');
    expect(await python.promise(python.evaluate('foreign') as PyObject)).toBe(11);
    python.run('other.call_soon_threadsafe(other.stop)');
  });

  test('have the context variables of the caller, and keep their own changes', async () => {
    python.run('var = contextvars.ContextVar("var", default=0)\nvar.set(1)');
    const change = after(
      'async def change(value):\n  before = var.get()\n  var.set(value)\n  await asyncio.sleep(0.005)\n  return [before, var.get()]',
      'change'
    );
    const seen = await Promise.all([2, 3].map(value => python.promise(change(value))));
    expect(seen.map(pair => python.toJS(pair) as unknown)).toEqual([
      [1, 2],
      [1, 3]
    ]);
    expect(python.evaluate('var.get()')).toBe(1);
  });

  test('callAsync awaits coroutines: of async def, of methods, of plain functions that return one', async () => {
    const echo = python.evaluate('echo') as PyObject;
    expect(await python.callAsync(echo, 5, 0)).toBe(5);
    const method = after('class C:\n  async def m(self, x): return await echo(x)', 'C().m');
    expect(await python.callAsync(method, 6)).toBe(6);
    expect(await python.callAsync(python.evaluate('lambda x: echo(x)') as PyObject, 7)).toBe(7);
    expect(await failure(python.callAsync(python.evaluate('fail') as PyObject))).toMatchObject({
      type: 'KeyError'
    });
    expect(() => echo(1, 2, 3, 4)).toThrow('TypeError');
    expect(await failure(python.callAsync(echo, 1, 2, 3, 4))).toMatchObject({ type: 'TypeError' });
  });

  test('libraries see no running loop on the JavaScript thread', () => {
    expect(() => python.run('asyncio.get_running_loop()')).toThrow('no running event loop');
    python.run('result = asyncio.run(echo(3))');
    expect(python.evaluate('result')).toBe(3);
  });
});

describeWith([], 'an AbortSignal', () => {
  beforeAll(() =>
    python.run(`
import asyncio
log = []
async def long():
  try:
    await asyncio.sleep(60)
  finally:
    await asyncio.sleep(0.01)
    log.append("ended")
async def stubborn():
  try:
    await asyncio.sleep(60)
  except asyncio.CancelledError:
    return "stayed"
`)
  );

  test('cancels the coroutine, and the call waits for its end', async () => {
    python.run('log.clear()');
    const abort = new AbortController();
    const promise = python.promise(python.evaluate('long()') as PyObject, { signal: abort.signal });
    const reason = new Error('enough');
    setTimeout(() => abort.abort(reason), 10);
    expect(await failure(promise)).toBe(reason);
    expect(python.toJS(python.evaluate('log'))).toEqual(['ended']);
  });

  test('that is aborted before starts nothing, at the start cancels too, afterwards does nothing', async () => {
    python.run('log.clear()');
    const early = python.promise(python.evaluate('long()') as PyObject, { signal: AbortSignal.abort() });
    expect(await failure(early)).toMatchObject({ name: 'AbortError' });
    expect(python.toJS(python.evaluate('log'))).toEqual([]);
    const abort = new AbortController();
    const promise = python.promise(python.evaluate('long()') as PyObject, { signal: abort.signal });
    abort.abort();
    expect(await failure(promise)).toMatchObject({ name: 'AbortError' });
    const late = new AbortController();
    python.run('async def quick(): return 1');
    expect(await python.promise(python.evaluate('quick()') as PyObject, { signal: late.signal })).toBe(1);
    late.abort();
  });

  test('a coroutine that ignores the cancellation returns its value', async () => {
    const promise = python.promise(python.evaluate('stubborn()') as PyObject, {
      signal: AbortSignal.timeout(20)
    });
    expect(await promise).toBe('stayed');
  });
});

describeWith([], 'asynchronous iterators of Python', () => {
  beforeAll(() =>
    python.run(`
import asyncio
ended = 0
async def count(n, wrong=False):
  global ended
  try:
    for i in range(n):
      await asyncio.sleep(0)
      yield i
    if wrong: raise ValueError("wrong")
  finally:
    ended += 1
`)
  );

  test('are iterated by for await', async () => {
    const seen: unknown[] = [];
    for await (const value of python.evaluate('count(4)') as PyObject) seen.push(value);
    expect(seen).toEqual([0, 1, 2, 3]);
    for await (const value of python.evaluate('count(0)') as PyObject) seen.push(value);
    expect(seen).toHaveLength(4);
  });

  test('end when the loop is left, and raise', async () => {
    python.run('ended = 0');
    for await (const value of python.evaluate('count(4)') as PyObject) if (value === 1) break;
    expect(python.evaluate('ended')).toBe(1);
    const seen: unknown[] = [];
    const all = async (): Promise<void> => {
      for await (const value of python.evaluate('count(2, True)') as PyObject) seen.push(value);
    };
    expect(await failure(all())).toMatchObject({ type: 'ValueError' });
    expect([seen, python.evaluate('ended')]).toEqual([[0, 1], 2]);
  });

  test('objects without __aiter__ are iterated synchronously', async () => {
    const seen: unknown[] = [];
    for await (const value of python.list([1, 2])) seen.push(value);
    expect(seen).toEqual([1, 2]);
  });
});

describeWith([], 'promises of JavaScript', () => {
  beforeAll(() =>
    python.run(`
import asyncio, threading
async def twice(f, *values):
  return [await f(*values), await f(*values)]
async def guard(f):
  try:
    await f()
  except Exception as error:
    return f"{type(error).__name__}: {error}"
`)
  );
  const soon = async (value: unknown): Promise<unknown> => {
    await pass(5, 'Python continues meanwhile');
    return value;
  };

  test('are awaited by coroutines', async () => {
    const twice = python.evaluate('twice') as PyObject;
    expect(python.toJS(await python.promise(twice(soon, 3)))).toEqual([3, 3]);
    const gathered = after('async def all(f): return await asyncio.gather(f(1), f(2))', 'all');
    expect(python.toJS(await python.promise(gathered(soon)))).toEqual([1, 2]);
    // A promise itself, already settled.
    const wait = after('async def wait(p): return await p', 'wait');
    expect(await python.promise(wait(Promise.resolve('now')))).toBe('now');
  });

  test('that reject raise in Python, and are passed on to JavaScript unchanged', async () => {
    const own = new RangeError('mine');
    const fail = async (): Promise<never> => {
      await pass(1, 'the function takes a while');
      throw own;
    };
    expect(await python.promise((python.evaluate('guard') as PyObject)(fail))).toBe(
      'JavaScriptError: RangeError: mine'
    );
    expect(await failure(python.promise((python.evaluate('twice') as PyObject)(fail)))).toBe(own);
    const nonsense = async (): Promise<unknown> => Promise.resolve(Symbol('no'));
    expect(await python.promise((python.evaluate('guard') as PyObject)(nonsense))).toContain('a symbol');
  });

  test('nest: Python awaits JavaScript awaits Python', async () => {
    const down = after('async def down(n, f): return 0 if n == 0 else 1 + await f(n - 1)', 'down');
    const step = (n: number): Promise<unknown> => python.promise(down(n, step));
    expect(await step(20)).toBe(20);
  });

  test('one that a coroutine stopped awaiting stays available to the others', async () => {
    const both = after(
      `
async def both(promise):
  async def wait(): return await promise
  first, second = asyncio.ensure_future(wait()), asyncio.ensure_future(wait())
  await asyncio.sleep(0)
  first.cancel()
  return await second`,
      'both'
    );
    expect(await python.promise(both(soon(9)))).toBe(9);
  });

  test('are awaited by threads, but not on the JavaScript thread, where they would not be settled', async () => {
    const result = after('def result(p): return p.result()', 'result');
    expect(await python.callAsync(result, soon(4))).toBe(4);
    expect(() => result(soon(4))).toThrow('python.promise()');
    const run = after('def run(f): asyncio.run(twice(f, 1))', 'run');
    expect(() => run(soon)).toThrow('python.promise()');
  });
});

describeWith([], 'a Python in a separate process', () => {
  test('awaits and is awaited in the same way', async () => {
    using apart = python.open({ python: pythonOfTests });
    apart.run(
      'import asyncio\nasync def ask(f, x):\n  await asyncio.sleep(0.001)\n  return await f(x)\nasync def count():\n  yield 1\n  yield 2'
    );
    const ask = apart.evaluate('ask') as PyObject;
    expect(await apart.promise(ask(async (x: number) => Promise.resolve(x + 1), 5))).toBe(6);
    const seen: unknown[] = [];
    for await (const value of apart.evaluate('count()') as PyObject) seen.push(value);
    expect(seen).toEqual([1, 2]);
    const long = apart.promise(apart.evaluate('asyncio.sleep(60)'), { signal: AbortSignal.timeout(5) });
    expect(await failure(long)).toMatchObject({ name: 'TimeoutError' });
  });
});
