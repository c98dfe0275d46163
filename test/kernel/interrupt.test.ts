import { KernelClient, traceback, type Execution } from './client.ts';

let kernel: KernelClient;
beforeAll(async () => {
  kernel = await KernelClient.start();
  await kernel.execute('const kept = 42');
});
afterAll(() => kernel.close());

/** Runs a cell that prints when it is about to get stuck, and interrupts it a moment after. */
async function interrupt(code: string): Promise<Execution> {
  const id = kernel.startExecution(`console.log('begun');\n${code}`);
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  await new Promise(resolve => setTimeout(resolve, 60));
  expect(await kernel.request('interrupt_request', {}, 'control')).toEqual({ status: 'ok' });
  return kernel.finish(id);
}

test.each([
  ['a loop', 'while (true) {}'],
  ['a loop that catches and cleans up', 'try { while (true) {} } catch {} finally { while (true) {} }'],
  ['a loop that prints', "while (true) console.log('x')"],
  ['a generator', 'function* g() { while (true) yield 1 }\nfor (const x of g());'],
  ['a loop after an await', 'await 0; while (true) {}'],
  ['a loop after a timer', 'await new Promise(r => setTimeout(r, 5)); while (true) {}'],
  ['a loop in a timer', 'setTimeout(() => { while (true) {} }, 5); await new Promise(() => {})'],
  ['a loop in an immediate', 'setImmediate(() => { while (true) {} }); await new Promise(() => {})'],
  [
    'a storm of microtasks',
    'const storm = () => void Promise.resolve().then(storm); storm(); await new Promise(() => {})'
  ],
  ['a storm of ticks', 'const tick = () => process.nextTick(tick); tick(); await new Promise(() => {})'],
  ['a regular expression', "/(a+)+b/.test('a'.repeat(40))"],
  ['a blocked thread', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ['a child process', "require('node:child_process').execSync('sleep 20')"]
])('stops %s and keeps the variables', async (_, code) => {
  const { reply } = await interrupt(code);
  expect(reply).toMatchObject({ status: 'error' });
  // A program that ends by the signal fails its call before the cell is stopped.
  if (!code.includes('execSync')) expect(reply['ename']).toBe('Interrupted');
  expect((await kernel.execute('await new Promise(r => setTimeout(() => r(kept), 5))')).result).toBe('42');
});

test('stops a cell that only waits', async () => {
  expect((await interrupt('await new Promise(() => {})')).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.execute('kept')).result).toBe('42');
});

test('names the interrupted line', async () => {
  const { reply } = await interrupt('function spin() {\n  while (true) {}\n}\nspin()');
  expect(traceback(reply)).toMatch(/spin \(Cell \[\d+\]:3:3\)/);
});

test('raises the flag that native waits poll, and lowers it for the next cell', async () => {
  const flag = "globalThis[Symbol.for('stridelab.interrupt-flag')]";
  const { reply } = await interrupt(`Atomics.wait(${flag}, 0, 0); while (true) {}`);
  expect(reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.execute(`${flag}[0]`)).result).toBe('0');
});

test('aborts the cells that are queued', async () => {
  const stuck = kernel.startExecution('while (true) {}');
  const queued = kernel.startExecution('1');
  await new Promise(resolve => setTimeout(resolve, 60));
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(stuck)).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.finish(queued)).reply).toMatchObject({ ename: 'Aborted' });
});

test('a signal does the same', async () => {
  const id = kernel.startExecution('while (true) {}');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
  kernel.child.kill('SIGINT');
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
});

test('between cells nothing happens', async () => {
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.execute('kept')).result).toBe('42');
});
