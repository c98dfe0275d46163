/* eslint-disable @typescript-eslint/no-unsafe-return, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-assignment -- what Python gives has no static type */
/** Python in a separate process: any interpreter works, even without a shared library. */

import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runInNewContext } from 'node:vm';
import { Worker } from 'node:worker_threads';
import {
  ArgumentError,
  python as own,
  type PythonError,
  PythonLostError,
  PythonUnavailableError,
  type PyObject,
  type Python
} from '../../../src/index.ts';
import { native } from '../../../src/native/load.ts';
import { isSanitized } from '../../setup/sanitized.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';
import { runs } from '../../setup/processes.ts';
import { pass, until } from '../../setup/until.ts';
import { thrown } from './asking.ts';
import { describeCalls } from './contract-calls.ts';
import { describeValues } from './contract-values.ts';
import { pythonOfTests as EXECUTABLE } from './environment.ts';

function open(): Python {
  return own.open({ python: EXECUTABLE });
}

function pidOf(python: Python): number {
  return python.status.process as number;
}

describe('in another process', () => {
  const python = open();
  afterAll(() => python.close());

  describeValues(python, {
    functionType: 'JavaScriptFunction',
    countHandles: () => python.evaluate('sum(type(o) is list for o in __import__("gc").get_objects())'),
    async collect() {
      native().drainReleases(true);
      for (let turn = 0; turn < 5; turn++) await pass(5, 'dropped objects are reported in separate messages');
    }
  });
  describeCalls(python);
});

describe('the process', () => {
  test('is the requested interpreter, with its environment, and ends with close', () => {
    const python = open();
    const sys = python.import('sys');
    expect(sys['executable']).toBe(EXECUTABLE);
    expect(python.toJS(sys['argv'])).toEqual(['']);
    expect(python.toJS(python.evaluate('[n for n in dir() if not n.startswith("__")]'))).toEqual([]);
    const pid = pidOf(python);
    expect(Number(python.import('os')['getpid']())).toBe(pid);
    python.close();
    python.close();
    expect(runs(pid)).toBe(false);
    expect(python.status).toMatchObject({ state: 'ended', process: pid });
    expect(thrown(() => python.evaluate('1'))).toBeInstanceOf(PythonLostError);
  });

  test('can be started again after its end, as a new one', () => {
    using python = open();
    python.run('x = 1');
    python.close();
    expect(python.start().executable).toBe(EXECUTABLE);
    expect(thrown(() => python.evaluate('x'))).toMatchObject({ type: 'NameError' });
  });

  test('that cannot start throws the reason', () => {
    expect(thrown(() => own.open({ python: '/nowhere/python' }))).toBeInstanceOf(PythonUnavailableError);
    expect(() => own.start({ mode: 'sideways' as 'auto' })).toThrow(ArgumentError);
  });

  test('is selected by `auto` if a Python has no shared library, with the reason', () => {
    const folder = temporaryFolder();
    const asked = join(folder, 'python');
    // Gives the answer of a Python that was built without one.
    const answer = `sed -E 's#"(libraryFolder|basePrefix)": "[^"]*"#"\\1": "/nowhere"#g'`;
    writeFileSync(asked, `#!/bin/sh\n"${EXECUTABLE}" "$@" | ${answer}\n`, { mode: 0o755 });
    const program = `
      import { python } from ${JSON.stringify(join(import.meta.dirname, '../../../dist/src/index.js'))};
      python.start({ python: ${JSON.stringify(asked)}, mode: 'auto' });
      console.log(JSON.stringify([python.evaluate('6 * 7'), python.status]));`;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8'
    });
    const [value, status] = JSON.parse(printed) as [number, { process: number; note: string }];
    expect([value, status.process > 0]).toEqual([42, true]);
    expect(status.note).toContain('no shared library');
  });

  test('several at the same time are independent, and their objects stay separate', () => {
    using one = open();
    using two = open();
    one.run('x = 1');
    two.run('x = 2');
    expect([one.evaluate('x'), two.evaluate('x')]).toEqual([1, 2]);
    const list: unknown = one.list([1]);
    expect(() => (two.builtins['len'] as PyObject)(list)).toThrow('belongs to another Python');
    expect(two.toJS(one.toJS(list))).toEqual([1]);
    const nested = (two.evaluate('lambda f: f()') as PyObject)(() => one.evaluate('x') + two.evaluate('x'));
    expect(nested).toBe(3);
  });

  test('an exception of one passes through another as a JavaScript error', () => {
    using one = open();
    using two = open();
    two.run('def guard(f):\n  try: f()\n  except Exception as e: return type(e).__name__');
    const guard = two.evaluate('guard') as PyObject;
    expect(guard(() => one.run('raise KeyError("a")'))).toBe('JavaScriptError');
    expect(thrown(() => (two.evaluate('lambda f: f()') as PyObject)(() => one.run('1/0')))).toMatchObject({
      type: 'ZeroDivisionError'
    });
  });
});

describe('values', () => {
  const python = open();
  afterAll(() => python.close());
  const same = python.evaluate('lambda x: x') as PyObject;

  test('of any size are passed completely', () => {
    const text = 'aé😀'.repeat(2_500_000);
    expect(same(text) === text).toBe(true);
    const bytes = new Uint8Array(10 << 20).map((_, index) => index * 31);
    expect(Buffer.compare(python.toJS(python.bytes(bytes)) as Uint8Array, bytes)).toBe(0);
    expect(python.builtins['len'](python.list(Array.from({ length: 200_000 }, (_, index) => index)))).toBe(
      200_000
    );
    const big = 7n ** 9999n;
    expect([same(big), same(-big)]).toEqual([big, -big]);
  });

  test.each([0.1, -0, NaN, Infinity, 2 ** 53, 2 ** 31, -(2 ** 31), 2 ** 52 + 1, 5e-324])(
    '%p is exact',
    value => {
      expect(Object.is(same(value), value)).toBe(true);
    }
  );

  test('a copy is one message, however many values it contains', () => {
    expect(python.toJS(python.evaluate('[{"n": i, "s": {str(i)}} for i in range(20_000)]'))).toHaveLength(
      20_000
    );
    const [first] = python.toJS(python.evaluate('[object]')) as [PyObject];
    expect(python.isObject(first)).toBe(true);
  });

  test('10,000 released objects are freed there too', async () => {
    python.run(
      'import weakref\nclass Held: pass\nwatched = weakref.WeakSet()\ndef hold():\n  h = Held()\n  watched.add(h)\n  return h'
    );
    const hold = python.evaluate('hold') as PyObject;
    const held = Array.from({ length: 10_000 }, () => hold() as PyObject);
    expect(python.evaluate('len(watched)')).toBe(10_000);
    for (const object of held) object[Symbol.dispose]();
    expect(python.evaluate('len(watched)')).toBe(0);
    const again = hold() as PyObject;
    again[Symbol.dispose]();
    // Even without another message.
    await pass(20, 'dropped objects are reported without another message');
    expect(python.evaluate('len(watched)')).toBe(0);
  });

  test('functions that Python drops are dropped here, and their numbers reused', () => {
    const call = python.evaluate('lambda f, x: f(x)') as PyObject;
    for (let round = 0; round < 2_000; round++) expect(call((x: number) => x + round, 1)).toBe(1 + round);
    python.run('kept = []\nkeep = lambda f: kept.append(f)');
    (python.evaluate('keep') as PyObject)(() => 'kept');
    expect(python.evaluate('kept[0]()')).toBe('kept');
    expect(python.evaluate('kept.pop().__name__')).toBe('javascript');
  });
});

describe('functions of JavaScript', () => {
  test('can be called by many threads while JavaScript continues', async () => {
    using python = open();
    python.run(`
import threading
def storm(f, threads, rounds):
  sums = []
  def work(): sums.append(sum(f(i) for i in range(rounds)))
  all = [threading.Thread(target=work) for _ in range(threads)]
  for t in all: t.start()
  for t in all: t.join()
  return sums`);
    let calls = 0;
    const sums: unknown = await python.callAsync(
      python.evaluate('storm') as PyObject,
      (i: number) => (calls++, i),
      8,
      50
    );
    expect(python.toJS(sums)).toEqual(Array.from({ length: 8 }, () => 1225));
    expect(calls).toBe(400);
  });

  test('wait for their turn while JavaScript waits for Python', async () => {
    using python = open();
    python.run(
      'import threading, time\ndef later(f):\n  threading.Thread(target=f).start()\n  time.sleep(0.1)'
    );
    let called = false;
    (python.evaluate('later') as PyObject)(() => (called = true));
    expect(called).toBe(false);
    await until(() => called);
  });

  test('of an object that is freed are called at that time', async () => {
    using python = open();
    python.run('class Last:\n  def __init__(self, f): self.f = f\n  def __del__(self): self.f()');
    let gone = 0;
    const last = (python.evaluate('Last') as PyObject)(() => gone++) as PyObject;
    last[Symbol.dispose]();
    await until(() => gone === 1);
    expect(python.evaluate('1 + 1')).toBe(2);
  });
});

describe('output', () => {
  test('arrives in order with results, complete, from all threads; also what libraries write to stderr', async () => {
    using python = open();
    const written: string[] = [];
    const { stdout, stderr } = process;
    const writes = [stdout.write, stderr.write] as const;
    stdout.write = stderr.write = (text: unknown) => written.push(String(text)) > 0;
    try {
      python.run('import sys, os, threading\nprint("a", end="")');
      written.push('|');
      python.run('print("b"); print("\\ud800", file=sys.stderr)\nos.write(2, b"raw\\n")');
      // More than a pipe holds, while only this call reads.
      python.run('os.write(2, b"x" * 300_000 + b"\\n")');
      python.run('t = threading.Thread(target=lambda: print("from a thread")); t.start(); t.join()');
      await until(() => written.join('').includes('from a thread'));
    } finally {
      [stdout.write, stderr.write] = writes;
    }
    const text = written.join('');
    expect(text.startsWith('a|b\n\ud800\n')).toBe(true);
    expect(text).toContain('raw\n');
    expect(text).toContain('x'.repeat(300_000));
  });
});

describe('its exit', () => {
  test.each([
    ['import os; os.kill(os.getpid(), 9)', { signal: 'SIGKILL', exitCode: null }, ''],
    ['import os; os._exit(7)', { signal: null, exitCode: 7 }, ''],
    // AddressSanitizer reports a bad access and aborts.
    [
      'import ctypes; ctypes.string_at(0)',
      { signal: isSanitized ? 'SIGABRT' : 'SIGSEGV', exitCode: null },
      isSanitized ? '_ctypes' : 'Segmentation fault'
    ],
    ['import os; os.write(2, b"last words"); os.abort()', { signal: 'SIGABRT', exitCode: null }, 'last words']
  ])('during a call: %s', (source, end, words) => {
    using python = open();
    const list = python.list([1]);
    const { write } = process.stderr;
    process.stderr.write = () => true;
    try {
      const error = thrown(() => python.run(source)) as PythonLostError;
      expect(error).toBeInstanceOf(PythonLostError);
      expect(error).toMatchObject({ code: 'ERR_PEER_LOST', ...end });
      expect(error.message).toContain(words);
    } finally {
      process.stderr.write = write;
    }
    expect(thrown(() => list['append'](1))).toMatchObject(end);
    list[Symbol.dispose]();
    python.start();
    expect(python.evaluate('1 + 1')).toBe(2);
  });

  test('while JavaScript does not wait rejects promises', async () => {
    using python = open();
    const sleep = python.import('time')['sleep'] as PyObject;
    const waiting = python.callAsync(sleep, 60);
    process.kill(pidOf(python), 'SIGKILL');
    await expect(waiting).rejects.toBeInstanceOf(PythonLostError);
    expect(python.status.state).toBe('ended');
    await expect(python.callAsync(sleep, 1)).rejects.toBeInstanceOf(PythonLostError);
  });

  test('during a call of JavaScript ends that call', () => {
    using python = open();
    const call = python.evaluate('lambda f: f()') as PyObject;
    const error = thrown(() =>
      call(() => {
        process.kill(pidOf(python), 'SIGKILL');
        return 1;
      })
    );
    expect(error).toBeInstanceOf(PythonLostError);
  });

  test('of a forked child, which does not hold the connection, has no effect', () => {
    using python = open();
    python.run('import os\npid = os.fork()\nif pid == 0: os._exit(0)\nos.waitpid(pid, 0)');
    expect(python.evaluate('1 + 1')).toBe(2);
  });
});

const PROGRAM = join(import.meta.dirname, 'process-program.mjs');

/** The output of a program with a Python process. */
function program(what: string): string {
  return execFileSync(process.execPath, [PROGRAM, EXECUTABLE, what], {
    encoding: 'utf8',
    timeout: 20_000,
    stdio: ['ignore', 'pipe', 'pipe']
  });
}

describe('the end of the program', () => {
  test('runs the exit handlers of Python, waits for its threads, and leaves no process', () => {
    expect(program('exit')).toBe('thread\natexit\n');
  });

  test.each(['kill-idle', 'kill-in-call', 'kill-in-callback'])('%s: no orphan is left', async what => {
    let printed = '';
    try {
      program(what);
    } catch (error) {
      printed = String((error as { stdout: string }).stdout);
    }
    const pid = Number(printed.trim());
    expect(pid).toBeGreaterThan(1);
    await until(() => !runs(pid));
  });

  test('happens even if it was not closed and did not end', () => {
    expect(program('idle')).toBe('done\n');
  });
});

/** Sets the flag that waits poll, like the kernel thread that receives interrupts. */
const RAISE = `
const { workerData } = require('node:worker_threads');
setTimeout(() => Atomics.store(workerData, 0, 1), 200);
`;

describe('an interrupt', () => {
  test.each([
    'while True: pass',
    'import time; time.sleep(60)',
    'import threading; threading.Event().wait()'
  ])('ends `%s`, and the next call runs', source => {
    using python = open();
    const flag = new Int32Array(new SharedArrayBuffer(4));
    native().setInterruptFlag(flag);
    const raising = new Worker(RAISE, { eval: true, workerData: flag });
    try {
      const error = thrown(() => python.run(source)) as PythonError;
      expect(error).toMatchObject({ type: 'KeyboardInterrupt' });
    } finally {
      void raising.terminate();
      native().setInterruptFlag(null);
    }
    expect(python.evaluate('1 + 1')).toBe(2);
  });
});

test('a call that JavaScript does not return to is abandoned, and Python continues', async () => {
  using python = open();
  python.run('seen = []\ndef ask(f):\n  try: f()\n  except RuntimeError as e: seen.append(str(e))');
  const { ask } = python.import('__main__');
  // Like an interrupt of a cell: the stack is unwound without running `finally`.
  const cut = (): unknown =>
    runInNewContext('ask(() => { for (;;) ; })', { ask: ask as unknown }, { timeout: 100 });
  expect(thrown(cut)).toHaveProperty('code', 'ERR_SCRIPT_EXECUTION_TIMEOUT');
  await until(() => python.evaluate('len(seen)') === 1);
  expect(python.toJS(python.evaluate('seen'))).toEqual(['JavaScript that Python called was interrupted']);
});

test('twenty starts leave no descriptor and no process', () => {
  const count = (): number => readdirSync('/proc/self/fd').length;
  open().close();
  const before = count();
  const pids = Array.from({ length: 20 }, () => {
    using python = open();
    return pidOf(python);
  });
  expect(count() - before).toBeLessThan(3);
  expect(pids.filter(pid => existsSync(`/proc/${pid}/exe`) && runs(pid))).toEqual([]);
});
