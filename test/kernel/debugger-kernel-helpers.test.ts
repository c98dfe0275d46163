/** Helper functions of kernels in the debugger: their frames, and steps into, over and out of them. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { kernel, withKernel } from './one-kernel.ts';
import { WITHOUT_TYPES } from './client.ts';
import { DebugClient, places } from './debug-client.ts';

let debug: DebugClient;
withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  debug = new DebugClient(kernel);
  await kernel.execute('import { array, cuda, f32, i32, zeros, type DeviceArray } from "stridelab";');
  await kernel.execute(HELPERS);
});
beforeEach(async () => {
  await debug.request('disconnect');
  await debug.attach();
});

const HELPERS = `function scaled(v: f32, i: f32) {
  const by = i + 1;
  return v * by;
}
function fromLeft(tile: DeviceArray<f32>, t: i32): f32 {
  cuda.syncThreads();
  const left = t === 0 ? 0 : tile[t - 1];
  return left;
}`;

const CODE = `const both = cuda.kernel((x: DeviceArray<f32>) => {
  const i = cuda.grid(1);
  x[i] = scaled(x[i], 1) + scaled(i, 2);
  const end = i;
  x[i] += end;
});
const both_x = array(new Float32Array([1, 2, 3]));
both.launch({ grid: 1, block: 3, debug: { thread: 1 } }, both_x);
String(both_x.toTypedArray())`;
const RESULT = "'2,8,14'";

async function stopIn(code: string, ...lines: Parameters<DebugClient['breakIn']>[1][]): Promise<string> {
  await debug.breakIn(code, ...lines);
  const id = kernel.startExecution(code);
  await debug.stopped();
  return id;
}

/** Continues, and returns the cell's result. */
async function resultOf(id: string): Promise<string | undefined> {
  await debug.continue();
  return (await kernel.finish(id)).result;
}

test('a step goes over the helpers of a line', async () => {
  const id = await stopIn(CODE, 3);
  expect(places(await debug.frames())[0]).toBe('both:3');
  expect(await debug.step('next')).toBe('both:4');
  expect(await resultOf(id)).toBe(RESULT);
});

test('steps go into each helper of a line and out again; the stack has the call', async () => {
  const id = await stopIn(CODE, 3);
  expect(await debug.step('stepIn')).toBe('scaled:2');
  expect(places(await debug.frames())).toEqual([
    'scaled:2',
    'both:3',
    expect.stringMatching(/^Cell \[\d+\]:8$/)
  ]);
  const scopes = await debug.scopes((await debug.frames())[0]!.id);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({
    thread: { value: '1 of block 0' },
    x: { value: 'Float32Array(3) [1, 2, 3]' },
    v: { value: '2' },
    i: { value: '1' }
  });
  expect(await debug.step('next')).toBe('scaled:3');
  expect(await debug.step('stepOut')).toBe('both:3');
  expect(await debug.step('stepIn')).toBe('scaled:2');
  expect(await debug.evaluate('v + i', (await debug.frames())[0]!.id)).toBe('3');
  expect(await debug.step('next')).toBe('scaled:3');
  expect(await debug.step('next')).toBe('both:3');
  expect(await debug.step('next')).toBe('both:4');
  expect(await resultOf(id)).toBe(RESULT);
});

test('a breakpoint in a helper has conditions of its variables, and stops in each call of the thread', async () => {
  await debug.breakIn(HELPERS, { line: 3, condition: 'by === 3' });
  const id = kernel.startExecution(CODE);
  expect(places(await debug.stopped()).slice(0, 2)).toEqual(['scaled:3', 'both:3']);
  const scopes = await debug.scopes((await debug.frames())[0]!.id);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({ by: { value: '3' }, v: { value: '1' } });
  expect(await resultOf(id)).toBe(RESULT);
});

const LEFT = `const lefts = cuda.kernel((x: DeviceArray<f32>) => {
  const own = cuda.shared(f32, 4);
  const t = cuda.threadIdx.x;
  own[t] = x[t];
  const value = fromLeft(own, t);
  x[t] = value;
});
const lefts_x = array(new Float32Array([1, 2, 3, 4]));
lefts.launch({ grid: 1, block: 4, debug: { thread: 2 } }, lefts_x);
String(lefts_x.toTypedArray())`;

test('steps go into, over and out of a helper that waits', async () => {
  let id = await stopIn(LEFT, 5);
  expect(await debug.step('next')).toBe('lefts:6');
  expect(await resultOf(id)).toBe("'0,1,2,3'");
  id = await stopIn(LEFT, 5);
  expect(await debug.step('stepIn')).toBe('fromLeft:6');
  expect(await debug.step('next')).toBe('fromLeft:7');
  expect(places(await debug.frames()).slice(0, 2)).toEqual(['fromLeft:7', 'lefts:5']);
  const scopes = await debug.scopes((await debug.frames())[0]!.id);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({
    own: { value: 'Float32Array(4) [1, 2, 3, 4]' },
    waiting: { value: 'no thread' }
  });
  expect(await debug.step('stepOut')).toBe('lefts:5');
  expect(await resultOf(id)).toBe("'0,1,2,3'");
  id = await stopIn(LEFT, 5);
  expect(await debug.step('stepIn')).toBe('fromLeft:6');
  expect(await debug.step('stepOut')).toBe('lefts:5');
  expect(await resultOf(id)).toBe("'0,1,2,3'");
});

test('a restart ends a kernel that is stopped in a helper, without running the rest of the cell', async () => {
  const mark = join(kernel.folder, 'ran-on');
  await debug.breakIn(HELPERS, 2);
  kernel.startExecution(`${CODE};\nrequire('node:fs').writeFileSync(${JSON.stringify(mark)}, '');`);
  await debug.stopped();
  const ended = new Promise(resolve => kernel.child.once('exit', resolve));
  expect(await kernel.request('shutdown_request', { restart: true }, 'control')).toMatchObject({
    status: 'ok',
    restart: true
  });
  expect(await ended).toBe(0);
  expect(existsSync(mark)).toBe(false);
});
