/** The exit of a program that contains Python: it always exits, and first completes Python's pending work if possible. */

import { describeWith, pythonOfTests } from './environment.ts';
import { runProgram } from './program.ts';

/** Prints that `atexit` functions ran. */
const REMEMBER = `python.run('import atexit, threading, time, asyncio\\natexit.register(print, "atexit")');\n`;
const TIME = 60_000;

describeWith([], 'a program with Python', () => {
  test.each([
    ['at its own end', '', 0],
    ['by process.exit', 'process.exit(3)', 3],
    [
      'by process.exit in a function that Python calls',
      `python.evaluate('lambda f: f()')(() => process.exit(4))`,
      4
    ],
    ['by an uncaught error', `throw new Error('mine')`, 1],
    ['by an uncaught exception', `python.run('1 / 0')`, 1],
    ['by an unhandled rejection', `python.promise(python.evaluate('asyncio.sleep("no")'))`, 1],
    [
      'while callAsync sleeps',
      `python.callAsync(python.import('time').sleep, 600); setTimeout(() => process.exit(5), 100)`,
      5
    ],
    [
      'while callAsync computes for ever',
      `python.run('def spin():\\n  while True: pass'); python.callAsync(python.evaluate('spin')); setTimeout(() => process.exit(5), 100)`,
      5
    ],
    [
      'while a coroutine sleeps',
      `python.promise(python.evaluate('asyncio.sleep(600)')); setTimeout(() => process.exit(6), 100)`,
      6
    ],
    [
      'while a coroutine holds up the event loop',
      `python.run('async def block(): time.sleep(600)'); python.promise(python.evaluate('block()')); setTimeout(() => process.exit(7), 100)`,
      7
    ],
    [
      'while a coroutine waits for a function of JavaScript',
      `python.run('async def ask(f):\\n  try: f()\\n  except RuntimeError as e: print(e)');
       python.promise(python.evaluate('ask')(() => process.exit(8)));`,
      8
    ],
    [
      'while a thread waits for JavaScript',
      `python.run('def ask(f):\\n  try: f()\\n  except RuntimeError as e: print("let go")');
       python.evaluate('lambda f: threading.Thread(target=ask, args=(f,)).start()')(() => 1); process.exit(9);`,
      9
    ]
  ])(
    'ends %s, and atexit functions run',
    async (_, source, code) => {
      const ended = await runProgram(`${REMEMBER}${source}`);
      expect(ended).toMatchObject({ code, hung: false });
      expect(ended.stdout).toMatch(/atexit\n$/);
    },
    TIME
  );

  test(
    'waits for threads that are not daemons, in the order of CPython: threads, then atexit',
    async () => {
      const { stdout, code } = await runProgram(
        `${REMEMBER}python.run('threading.Thread(target=lambda: (time.sleep(0.2), print("thread"))).start()');`
      );
      expect([stdout, code]).toEqual(['thread\natexit\n', 0]);
    },
    TIME
  );

  test(
    'does not end while a promise of Python is awaited, and then does',
    async () => {
      const { stdout, code, hung } = await runProgram(
        `python.run('import asyncio');
         python.promise(python.evaluate('asyncio.sleep(0.3, "slept")')).then(console.log);
         python.callAsync(python.evaluate('__import__("time").sleep'), 0.2).then(() => console.log('called'));`
      );
      expect([stdout, code, hung]).toEqual(['called\nslept\n', 0, false]);
    },
    TIME
  );

  test(
    'lets coroutines clean up at the end',
    async () => {
      const { stdout } = await runProgram(
        `python.run('import asyncio\\nasync def work():\\n  try: await asyncio.sleep(600)\\n  finally: print("cleaned")');
         python.promise(python.evaluate('work()')); setTimeout(() => process.exit(), 100);`
      );
      expect(stdout).toBe('cleaned\n');
    },
    TIME
  );

  test(
    'ends by SIGTERM immediately, in Python code too',
    async () => {
      const { signal, hung } = await runProgram(
        `python.run('print("ready")'); python.run('import time\\nwhile True: time.sleep(1)');`,
        { onOutput: (_, child) => child.kill('SIGTERM') }
      );
      expect([signal, hung]).toEqual(['SIGTERM', false]);
    },
    TIME
  );

  test(
    'crashes with the signal of an extension module that crashes',
    async () => {
      const { signal, hung } = await runProgram(`python.import('ctypes').string_at(0)`);
      expect([signal, hung]).toEqual(['SIGSEGV', false]);
    },
    TIME
  );
});

describeWith([], 'a child that Python forks', () => {
  test(
    'ends if it returns into JavaScript, and reports it; the parent continues',
    async () => {
      const { stdout, stderr, code } = await runProgram(`
        python.run('import os\\npid = os.fork()\\nif pid == 0: print("in the child")');
        python.run('status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])');
        console.log('parent', python.evaluate('status'));`);
      expect(stdout.split('\n').sort()).toEqual(['', 'in the child', 'parent 70']);
      expect(stderr).toContain('stridelab: a child of os.fork() returned to JavaScript');
      expect(code).toBe(0);
    },
    TIME
  );

  test(
    'cannot call functions of JavaScript, on any thread',
    async () => {
      const { stdout } = await runProgram(`
        python.run(\`
import os
def fork(f):
  pid = os.fork()
  if pid == 0:
    try: f()
    except RuntimeError as error: print(error, flush=True)
    os._exit(5)
  return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])\`);
        const fork = python.evaluate('fork');
        console.log(fork(() => 1), await python.callAsync(fork, () => 1));`);
      expect(stdout).toBe('JavaScript functions cannot be called in a forked child\n'.repeat(2) + '5 5\n');
    },
    TIME
  );

  test(
    'that runs another program is not affected',
    async () => {
      const { stdout } = await runProgram(`
        python.run('import subprocess, sys, os');
        console.log(python.evaluate('subprocess.run([sys.executable, "-c", "print(6 * 7)"], capture_output=True, text=True).stdout'));
        console.log(python.evaluate('subprocess.run("echo hi", shell=True, preexec_fn=lambda: None, capture_output=True, text=True).stdout'));
        const { execFileSync } = await import('node:child_process');
        console.log(execFileSync('echo', ['ho']).toString());`);
      expect(stdout).toBe('42\n\nhi\n\nho\n\n');
    },
    TIME
  );
});

describeWith([], 'a worker thread of Node', () => {
  /** `work(expression)` prints a worker's result for it. */
  const WORKER = `import { Worker } from 'node:worker_threads';
    const work = expression => new Promise(resolve => {
      const text = "import { parentPort } from 'node:worker_threads'; import { python } from " + JSON.stringify(library) +
        "; let said; try { python.start({ python: " + JSON.stringify(process.env.WORKER_PYTHON) + " }); said = " + expression +
        "} catch (error) { said = error.name + ': ' + error.message } parentPort.postMessage(said)";
      const worker = new Worker(new URL('data:text/javascript,' + encodeURIComponent(text)));
      let said;
      worker.on('message', message => (said = message)).on('error', error => (said = error)).on('exit', () => resolve(said));
    });\n`;
  const environment = { WORKER_PYTHON: pythonOfTests };

  test(
    'cannot use Python, which belongs to the thread that started it',
    async () => {
      const { stdout, code } = await runProgram(
        `${WORKER}console.log(await work('1')); console.log(python.evaluate('1 + 1'));`,
        { environment }
      );
      expect(stdout).toMatch(/^PythonUnavailableError: .*another thread started it[^]*\n2\n$/);
      expect(code).toBe(0);
    },
    TIME
  );

  test(
    'can be the one that starts it, and so can the next after it has ended',
    async () => {
      const { stdout, stderr, code, hung } = await runProgram(
        `${WORKER}
        console.log(await work('python.evaluate("6 * 7")'));
        console.log(await work('python.evaluate("6 * 8")'));
        python.start({ python: process.env.WORKER_PYTHON });
        console.log(python.evaluate('6 * 9'));`,
        { python: null, environment }
      );
      expect({ stdout, stderr, code, hung }).toEqual({
        stdout: '42\n48\n54\n',
        stderr: '',
        code: 0,
        hung: false
      });
    },
    TIME
  );
});
