/** Breakpoints in kernels that are written in TypeScript. */

import { kernel, withKernel } from './one-kernel.ts';
import { WITHOUT_TYPES } from './client.ts';
import { DebugClient, places } from './debug-client.ts';

let debug: DebugClient;
withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  debug = new DebugClient(kernel);
  await kernel.execute('import { array, cuda, f32, i32, zeros, type DeviceArray } from "stridelab";');
});
beforeEach(() => debug.attach());
afterEach(async () => {
  await debug.request('disconnect');
});

const SCALE = `const scale = cuda.kernel((x: DeviceArray<f32>, factor: f32) => {
  const i = cuda.grid(1);
  if (i < x.length) {
    const old = x[i];
    x[i] = old * factor;
  }
});
const data = array(new Float32Array([1, 2, 3, 4]));
scale.launch({ grid: 2, block: 2 }, data, 0.5);
String(data.toTypedArray())`;

test('a breakpoint in a kernel stops the first thread that reaches it, and steps go by lines', async () => {
  const { path, lines } = await debug.breakIn(SCALE, 4);
  expect(lines).toEqual([4]);
  const id = kernel.startExecution(SCALE);
  const frames = await debug.stopped();
  expect(places(frames)).toEqual(['scale:4', expect.stringMatching(/^Cell \[\d+\]:9$/)]);
  expect(frames[0]!.source!.path).toBe(path);
  const scopes = await debug.scopes(frames[0]!.id);
  expect(Object.keys(scopes)).toEqual(['Block', 'Local', 'Cell', 'Global']);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({
    i: { value: '0' },
    factor: { value: '0.5' },
    x: { value: 'Float32Array(4) [1, 2, 3, 4]' },
    thread: { value: '0 of block 0' },
    waiting: { value: 'no thread' }
  });
  expect(await debug.step('next')).toBe('scale:5');
  expect(await debug.evaluate('old * 2', (await debug.frames())[0]!.id)).toBe('2');
  expect(await debug.step('next')).toMatch(/^Cell \[\d+\]:10$/);
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe("'0.5,1,1.5,2'");
});

test('without a breakpoint in its lines a kernel runs as ever', async () => {
  const code = SCALE.replace('data, 0.5', 'data, 0.25');
  expect((await debug.breakIn(code, 10)).lines).toEqual([10]);
  const id = kernel.startExecution(code);
  expect(places(await debug.stopped())).toEqual([expect.stringMatching(/^Cell \[\d+\]:10$/)]);
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe("'0.25,0.5,0.75,1'");
});

const SUM = `const sum = cuda.kernel((x: DeviceArray<f32>, out: DeviceArray<f32>) => {
  const tile = cuda.shared(f32, 4);
  const t = cuda.threadIdx.x;
  tile[t] = x[cuda.grid(1)];
  cuda.syncThreads();
  let total: f32 = 0;
  for (let k = 0; k < 4; k++) {
    total += tile[k];
  }
  out[cuda.grid(1)] = total;
});
const values = array(new Float32Array([1, 2, 3, 4, 5, 6, 7, 8]));
const sums = zeros(8, { dtype: 'float32' });
sum.launch({ grid: 2, block: 4, debug: { block: 1, thread: 2 } }, values, sums);
String(sums.toTypedArray())`;

test('the chosen thread stops, runs before the others, and sees who waits', async () => {
  expect((await debug.breakIn(SUM, 4, 8)).lines).toEqual([4, 8]);
  const id = kernel.startExecution(SUM);
  expect(places(await debug.stopped())[0]).toBe('sum:4');
  expect(await debug.step('next')).toBe('sum:5');
  expect(await debug.step('next')).toBe('sum:6');
  const scopes = await debug.scopes((await debug.frames())[0]!.id);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({
    t: { value: '2' },
    tile: { value: 'Float32Array(4) [5, 6, 7, 8]' },
    thread: { value: '2 of block 1' }
  });
  const lines: string[] = [];
  for (let count = 0; count < 6; count += 1) lines.push(await debug.step('next'));
  expect(lines).toEqual(['sum:7', 'sum:8', 'sum:7', 'sum:8', 'sum:7', 'sum:8']);
  await debug.ask('setBreakpoints', {
    source: { path: (await debug.frames())[0]!.source!.path },
    breakpoints: []
  });
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe("'10,10,10,10,26,26,26,26'");
});

const LATE = `const late = cuda.kernel((x: DeviceArray<i32>) => {
  const t = cuda.threadIdx.x;
  if (t === 3) {
    x[t] = 5;
  }
  cuda.syncThreads();
});
const late_x = zeros(8, { dtype: 'int32' });
const found = late.check({ grid: 1, block: 8 }, late_x);
String(found) + late_x.toTypedArray()`;

test('threads that wait at a barrier are listed; a check runs in the debugger too', async () => {
  await debug.breakIn(LATE, 4);
  const id = kernel.startExecution(LATE);
  const [top] = await debug.stopped();
  const scopes = await debug.scopes(top!.id);
  const { waiting } = await debug.variables(scopes['Local']!);
  expect(waiting).toMatchObject({ value: '3 in line 6: syncThreads' });
  expect(await debug.variables(waiting!.variablesReference)).toMatchObject({
    'line 6: syncThreads': { value: 'Array(3) [0, 1, 2]' }
  });
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe("'no faults0,0,0,5,0,0,0,0'");
});

test('a breakpoint with a condition, a variable that is changed, and a fault', async () => {
  const code = `const put = cuda.kernel((x: DeviceArray<i32>) => {
  let at = cuda.grid(1);
  x[at] = at * 10;
});
const put_x = zeros(40, { dtype: 'int32' });
put.launch({ grid: 2, block: 20 }, put_x);
String(put_x.toTypedArray())`;
  await debug.breakIn(code, { line: 3, condition: 'at === 25' });
  const id = kernel.startExecution(code);
  const [top] = await debug.stopped();
  const scopes = await debug.scopes(top!.id);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({ at: { value: '25' } });
  await debug.ask('setVariable', { variablesReference: scopes['Local'], name: 'at', value: '40' });
  await debug.continue();
  const { reply } = await kernel.finish(id);
  expect(reply).toMatchObject({ status: 'error', ename: 'KernelFaultError' });
  expect(reply['evalue']).toContain("index 40 is outside 'x'");
  const traceback = (reply['traceback'] as string[]).join('\n');
  expect(traceback).toMatch(/Cell \[\d+\]:6/);
  expect(traceback).not.toContain('put 1');
});

test('a helper of an earlier cell, and a breakpoint that is set during the stop', async () => {
  const helper = `const half = (v: f32) => {
  const out = v / 2;
  return out;
};`;
  const code = `const halves = cuda.kernel((x: DeviceArray<f32>) => {
  const i = cuda.grid(1);
  x[i] = half(x[i]);
  x[i] += 1;
});
const halves_x = array(new Float32Array([2, 4]));
halves.launch({ grid: 1, block: 2 }, halves_x);
String(halves_x.toTypedArray())`;
  await kernel.execute(helper);
  const { path } = await debug.breakIn(helper, 3);
  const id = kernel.startExecution(code);
  const [top] = await debug.stopped();
  expect(top).toMatchObject({ name: 'half', line: 3, source: { path } });
  const scopes = await debug.scopes(top!.id);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({ out: { value: '1' } });
  expect((await debug.breakIn(code, 4)).lines).toEqual([4]);
  await debug.continue();
  expect(places(await debug.stopped())[0]).toBe('halves:4');
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe("'2,3'");
});

test('each launch stops, until the debugger is detached', async () => {
  const code = `const count = cuda.kernel((x: DeviceArray<i32>) => {
  x[0] += 1;
});
const count_x = zeros(1, { dtype: 'int32' });
for (let k = 0; k < 5; k++) count.launch({ grid: 1, block: 1 }, count_x);
count_x.toTypedArray()[0]`;
  await debug.breakIn(code, 2);
  const id = kernel.startExecution(code);
  await debug.stopped();
  await debug.continue();
  expect(places(await debug.stopped())[0]).toBe('count:2');
  await debug.ask('disconnect');
  expect((await kernel.finish(id)).result).toBe('5');
});

test('breakpoints are set again after the code of earlier launches was collected', async () => {
  const code = `{
  const gone = cuda.kernel((x: DeviceArray<i32>) => {
    x[0] += 2;
  });
  const gone_x = zeros(1, { dtype: 'int32' });
  gone.launch({ grid: 1, block: 1 }, gone_x);
  gone_x.toTypedArray()[0];
}`;
  await debug.breakIn(code, 3);
  const run = async (): Promise<void> => {
    const id = kernel.startExecution(code);
    expect(places(await debug.stopped())[0]).toBe('gone:3');
    await debug.continue();
    await kernel.finish(id);
  };
  await run();
  await debug.ask('disconnect');
  // The kernel and its script are unreachable; V8 reports no such script to a debugger that attaches.
  await kernel.execute(
    "require('node:v8').setFlagsFromString('--expose-gc'); require('node:vm').runInNewContext('gc')()"
  );
  await debug.attach();
  expect((await debug.breakIn(code, 3)).lines).toEqual([3]);
  await run();
});

test('an interrupt ends a cell that is stopped in a kernel', async () => {
  await debug.breakIn(SCALE, 5);
  const id = kernel.startExecution(SCALE);
  await debug.stopped();
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).reply).toMatchObject({ status: 'error', ename: 'Interrupted' });
  expect(await kernel.execute('1 + 1')).toMatchObject({ result: '2' });
});
