/** Interrupts of cells that are in Python: it raises KeyboardInterrupt there, which its own code may catch. */

import { KernelClient, type Execution } from '../client.ts';
import { PYTHON, withPython } from './environment.ts';

let kernel: KernelClient;

/** Runs a cell that prints `begun` just before it is about to get stuck, and interrupts it a moment after. */
async function interrupt(code: string): Promise<Execution & { readonly milliseconds: number }> {
  const id = kernel.startExecution(code);
  const isBegun = ({ type, parentId, content }: (typeof kernel.iopub)[number]): boolean =>
    type === 'stream' && parentId === id && String(content['text']).includes('begun');
  await kernel.published(isBegun);
  await new Promise(resolve => setTimeout(resolve, 60));
  const asked = performance.now();
  expect(await kernel.request('interrupt_request', {}, 'control')).toEqual({ status: 'ok' });
  const execution = await kernel.finish(id);
  return { ...execution, milliseconds: performance.now() - asked };
}

/** A cell that runs these statements in Python. */
function run(statements: string): string {
  return `python.run(${JSON.stringify(`import sys, time, threading, subprocess\nprint('begun')\nsys.stdout.flush()\n${statements}`)})`;
}

async function expectAlive(): Promise<void> {
  // A stale interrupt would be raised by the first of them.
  const probe =
    'python.run("kept += 0\\nfor _ in range(1000): pass"); [python.evaluate("kept"), kept].join()';
  expect((await kernel.execute(probe)).result).toBe("'5,42'");
}

withPython('interrupts that reach Python', () => {
  beforeAll(async () => {
    kernel = await KernelClient.start('tcp', { STRIDELAB_PYTHON: PYTHON });
    await kernel.execute('import { python } from "stridelab"; const kept = 42; python.run("kept = 5")');
  });
  afterAll(() => kernel.close());

  test.each([
    ['a loop', run('while True: pass')],
    ['a loop that prints', run('while True: print("x")')],
    ['sleep', run('time.sleep(60)')],
    ['an event that nobody sets', run('threading.Event().wait()')],
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
    ]
  ])('stop %s', async (_, code) => {
    const { reply, milliseconds } = await interrupt(code);
    expect(reply).toMatchObject({ status: 'error' });
    expect(['KeyboardInterrupt', 'Interrupted']).toContain(reply['ename']);
    expect(milliseconds).toBeLessThan(5_000);
    await expectAlive();
  });
});
