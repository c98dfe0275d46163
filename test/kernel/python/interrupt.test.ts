/** Interrupts of cells that run Python: it raises KeyboardInterrupt there, which user code may catch. */

import { InterruptWord } from '../../../src/native/python-interrupts-binding.ts';
import { WITHOUT_TYPES, type Execution } from '../client.ts';
import { kernel, withKernel } from '../one-kernel.ts';
import { PYTHON, withPython } from './environment.ts';
import { pass } from '../../setup/until.ts';

/** Runs a cell that prints `begun` just before it blocks, and interrupts it shortly after. */
async function interrupt(code: string): Promise<Execution> {
  const id = kernel.startExecution(code);
  const isBegun = ({ type, parentId, content }: (typeof kernel.iopub)[number]): boolean =>
    type === 'stream' && parentId === id && String(content['text']).includes('begun');
  await kernel.published(isBegun);
  await pass(60, 'the cell gets stuck right after it printed');
  expect(await kernel.request('interrupt_request', {}, 'control')).toEqual({ status: 'ok' });
  return kernel.finish(id);
}

/** A cell that runs these statements in Python. */
function run(statements: string): string {
  return `python.run(${JSON.stringify(`import sys, time, threading, subprocess\nprint('begun')\nsys.stdout.flush()\n${statements}`)})`;
}

async function expectAlive(): Promise<void> {
  // The first of them would raise a stale interrupt.
  const probe =
    'python.run("kept += 0\\nfor _ in range(1000): pass"); [python.evaluate("kept"), kept].join()';
  expect((await kernel.execute(probe)).result).toBe("'5,42'");
}

withPython('interrupts that reach Python', () => {
  withKernel('ipc', { ...WITHOUT_TYPES, STRIDELAB_PYTHON: PYTHON });
  beforeAll(async () => {
    await kernel.execute('import { python } from "stridelab"; const kept = 42; python.run("kept = 5")');
  });

  test.each([
    ['a loop', run('while True: pass')],
    ['a loop that prints', run('while True: print("x")')],
    ['sleep', run('time.sleep(60)')],
    ['an event that is never set', run('threading.Event().wait()')],
    ['a program that it runs', run('subprocess.run(["sleep", "60"])')],
    ['a select', run('import select\nselect.select([], [], [], 60)')],
    ['asyncio', run('import asyncio\nasyncio.run(asyncio.sleep(60))')],
    [
      'a loop that JavaScript called with a callback',
      `const f = python.evaluate("lambda g: [g(i) for i in iter(int, 1)]"); console.log("begun"); f(x => x)`
    ],
    [
      'calls in a loop of JavaScript',
      'const { sqrt } = python.import("math"); console.log("begun"); for (;;) sqrt(2)'
    ],
    [
      'an interval, which is not called again,',
      `setInterval(() => { ${run('time.sleep(60)')} }, 1); await new Promise(() => {})`
    ],
    [
      'an asynchronous interval, which is not called again,',
      `setInterval(async () => { await 0; ${run('time.sleep(60)')} }, 1); await new Promise(() => {})`
    ]
  ])('stop %s', async (_, code) => {
    const { reply } = await interrupt(code);
    expect(reply).toMatchObject({ status: 'error' });
    expect(['KeyboardInterrupt', 'Interrupted']).toContain(reply['ename']);
    await expectAlive();
  });

  test('Python that catches it continues, and so does the cell', async () => {
    const { reply, result } = await interrupt(
      'python.run("try:\\n  print(\\"begun\\")\\n  while True: len(str(1))\\nexcept KeyboardInterrupt:\\n  got = 1"); python.evaluate("got") + 1'
    );
    expect(reply).not.toHaveProperty('traceback');
    expect(result).toBe('2');
    await expectAlive();
  });

  test("its own handler of SIGINT is called; the process's handling of the signal stays", async () => {
    const code = run(
      'import signal\nold = signal.signal(signal.SIGINT, lambda *_: seen.append(1))\nseen = []\n' +
        'while not seen: pass\nsignal.signal(signal.SIGINT, old)'
    );
    expect((await interrupt(code)).reply).toMatchObject({ status: 'ok' });
    expect((await kernel.execute("process.listenerCount('SIGINT')")).result).toBe('1');
    await expectAlive();
    expect((await interrupt(run('time.sleep(60)'))).reply).toMatchObject({ ename: 'KeyboardInterrupt' });
  });

  test('JavaScript that catches it and continues is stopped by the next one', async () => {
    const id = kernel.startExecution(
      'console.log("begun"); for (;;) try { python.run("import time; time.sleep(60)") } catch { console.log("again") }'
    );
    for (const text of ['begun\n', 'again\n']) {
      await kernel.published(({ parentId, content }) => parentId === id && content['text'] === text);
      await pass(60, 'the cell gets stuck right after it printed');
      await kernel.request('interrupt_request', {}, 'control');
    }
    expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
    await expectAlive();
  });

  test('JavaScript that Python called is stopped, and Python with it', async () => {
    const { reply } = await interrupt(
      'python.evaluate("lambda f: f()")(() => { console.log("begun"); for (;;); })'
    );
    expect(reply).toMatchObject({ status: 'error' });
    expect(['KeyboardInterrupt', 'Interrupted']).toContain(reply['ename']);
    await expectAlive();
  });

  test('work on other threads ends with the cell that started it, as do its tasks, and no other', async () => {
    await kernel.execute(
      'python.run("import time, asyncio\\nbegun = []\\nstate = {}\\ndef spin(name):\\n  try:\\n    begun.append(name)\\n    while name not in state: time.sleep(0.001)\\n' +
        '  except BaseException as e: state[name] = type(e).__name__\\n    \\nasync def wait(name):\\n  try:\\n    begun.append(name)\\n    await asyncio.sleep(60)\\n' +
        '  except BaseException as e: state[name] = type(e).__name__"); const { spin, wait } = python.import("__main__"); const early = python.callAsync(spin, "early"); 0'
    );
    const { reply } = await interrupt(
      'const calls = [python.callAsync(spin, "spin"), python.callAsync(wait, "wait")]; ' +
        // Work that has not started when the interrupt arrives never runs, and so leaves no state.
        'while (python.evaluate("len(begun)") < 3) await new Promise(r => setTimeout(r, 5)); console.log("begun"); await Promise.all(calls)'
    );
    expect(reply).toMatchObject({ ename: 'Interrupted' });
    const states =
      'while (python.evaluate("len(state)") < 2) await new Promise(r => setTimeout(r, 5)); python.evaluate("str(sorted(state.items()))")';
    expect((await kernel.execute(states)).result).toBe(
      "\"[('spin', 'KeyboardInterrupt'), ('wait', 'CancelledError')]\""
    );
    expect((await kernel.execute('python.run("state[\'early\'] = 0"); await early; 1')).result).toBe('1');
    await expectAlive();
  });

  test('twenty-five times in a row, none is left for a later call', async () => {
    const code = '%%python\nimport time\nprint("begun", flush=True)\nfor _ in range(10**9): time.sleep(0)';
    for (let round = 0; round < 25; round += 1) {
      const { reply } = await interrupt(code);
      expect(reply).toMatchObject({ status: 'error', ename: 'KeyboardInterrupt' });
      await expectAlive();
    }
  });

  test('a late signal, in the next cell, does not interrupt it', async () => {
    const { wanted, cell, heard, signal } = InterruptWord;
    const words = "globalThis[Symbol.for('stridelab.python-interrupt-words')]";
    const ask = `${words}[${wanted}] = ${words}[${cell}] + 1;`;
    const arrives = `(before => {
      python.run('import os\\nos.kill(os.getpid(), ' + ${words}[${signal}] + ')\\nfor _ in range(1000): pass');
      return ${words}[${heard}] - before;
    })(${words}[${heard}])`;
    const now = await kernel.execute(`${ask}\n${arrives}`);
    expect(now.reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    await kernel.execute(ask);
    expect((await kernel.execute(arrives)).result).toBe('1');
    await expectAlive();
  });

  test('a call that cannot be interrupted is reported, and ends when it returns', async () => {
    const id = kernel.startExecution('%%python\nprint("begun")\nsum(range(60_000_000))');
    await kernel.published(({ parentId, content }) => parentId === id && content['text'] === 'begun\n');
    await kernel.request('interrupt_request', {}, 'control');
    const { reply, stderr } = await kernel.finish(id);
    expect(reply).toMatchObject({ ename: 'KeyboardInterrupt' });
    if (stderr !== '') expect(stderr).toMatch(/waits for a native call/);
  });
});
