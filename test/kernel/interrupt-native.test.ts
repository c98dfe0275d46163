/** Interrupts of cells in native calls: each kind of call in several of the places where a loop can occur. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  loops,
  places,
  pythonPlaces,
  setUp,
  setUpPython,
  synchronousPlaces
} from '../../bench/kernel/native-loops.mjs';
import { pass } from '../setup/until.ts';
import { KernelClient, WITHOUT_TYPES, type Execution } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { PYTHON, pythonRuns } from './python/environment.ts';

/** `npm run` of bench/kernel-interrupts.mjs is the long version. */
const ROUNDS = 2;
const LONGEST_MS = 30;

withKernel('ipc', { ...WITHOUT_TYPES, STRIDELAB_PYTHON: PYTHON });
beforeAll(async () => {
  expect((await kernel.execute(setUp)).reply).toMatchObject({ status: 'ok' });
  if (pythonRuns) expect((await kernel.execute(setUpPython)).reply).toMatchObject({ status: 'ok' });
}, 60_000);

/** Interrupts a cell some time after it printed `begun`; each round tries another delay. */
async function interrupt(code: string, moment: number): Promise<Execution> {
  const id = kernel.startExecution(code);
  await kernel.published(
    ({ type, parentId, content }) =>
      type === 'stream' && parentId === id && String(content['text']).includes('begun')
  );
  await pass(moment, 'each round tries another moment');
  await kernel.request('interrupt_request', {}, 'control');
  return kernel.finish(id);
}

async function expectKept(): Promise<void> {
  const probe = "await probe(); 'kept ' + (kept >= 42) + ' ' + zeros(3).item(0) + ' ' + s.capturing";
  let execution = await kernel.execute(probe);
  // A request sent so soon after the interrupt may be treated as a queued cell.
  if (execution.reply['ename'] === 'Aborted') execution = await kernel.execute(probe);
  expect(execution.result).toBe("'kept true 0 false'");
}

const here = loops.filter(({ needs }) => needs === 'device' || (needs === 'python' && pythonRuns));
let turn = 0;
test.each(here.map(loop => [loop.name, loop] as const))('stops %s', async (_, loop) => {
  const where = Object.values({
    ...places,
    ...(loop.awaits ? {} : synchronousPlaces),
    ...(loop.awaits || !pythonRuns ? {} : pythonPlaces)
  });
  for (let round = 0; round < ROUNDS; round += 1) {
    const place = where[(turn += 1) % where.length]!;
    const { reply } = await interrupt(place(loop.body), (turn * 7) % LONGEST_MS);
    // Python raises its own exception while it is running.
    expect(['Interrupted', ...(pythonRuns ? ['KeyboardInterrupt'] : [])]).toContain(reply['ename']);
    await expectKept();
  }
});

test('stops a module that loops over native calls while it is imported', async () => {
  const file = join(kernel.folder, 'endless.ts');
  writeFileSync(
    file,
    "import { zeros } from 'stridelab';\nconst a = zeros(10);\nconsole.log('begun');\nwhile (true) a.item(0);\n"
  );
  for (const code of ["import './endless.ts';", "await import('./endless.ts?again');"]) {
    expect((await interrupt(code, 5)).reply).toMatchObject({ ename: 'Interrupted' });
    await expectKept();
  }
});

test.each([
  ['a busy body', 'while (true);'],
  ['an await at the top level', 'await new Promise(() => {});'],
  ['a busy body after an await', 'await 0; while (true);']
])('a module that was stopped in %s is imported by the next cell', async (_, stuck) => {
  const name = `stopped-${(turn += 1)}`;
  const text = `if (!globalThis.quick) { console.log('begun'); ${stuck} }\nexport const value = 7;\n`;
  writeFileSync(join(kernel.folder, `${name}.ts`), text);
  const packaged = join(kernel.folder, 'node_modules', name);
  mkdirSync(packaged, { recursive: true });
  writeFileSync(join(packaged, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  writeFileSync(join(packaged, 'index.js'), text);
  for (const specifier of [`./${name}.ts`, name]) {
    await kernel.execute('globalThis.quick = false');
    const code = `var { value } = await import('${specifier}'); value`;
    expect((await interrupt(code, 5)).reply).toMatchObject({ ename: 'Interrupted' });
    const { reply, result } = await kernel.execute(`globalThis.quick = true; ${code}`);
    expect({ reply, result }).toMatchObject({ reply: { status: 'ok' }, result: '7' });
  }
});

test('stops the display of a large value that reads arrays', async () => {
  const value =
    "{ get rows() { console.log('begun'); return Array.from({ length: 1e9 }, () => a.item(0)); } }";
  const code = `({ [Symbol.for('Jupyter.display')]: () => ({ 'text/plain': JSON.stringify((${value}).rows) }) })`;
  expect((await interrupt(code, 5)).reply).toMatchObject({ ename: 'Interrupted' });
  await expectKept();
});

test('stops a function that a widget calls, and the widget answers again', async () => {
  const { stdout } = await kernel.execute(`
    import { IntSlider } from 'stridelab/widgets';
    const slider = new IntSlider({ description: 'speed' });
    slider.observe('max', () => { console.log('moved'); while (true) a.item(0); });
    console.log(slider.model_id);`);
  const change = (state: object): string =>
    kernel.send('shell', 'comm_msg', {
      comm_id: stdout.trim(),
      data: { method: 'update', state, buffer_paths: [] }
    });
  const stuck = change({ max: 200 });
  await kernel.published(({ type, content }) => type === 'stream' && content['text'] === 'moved\n');
  await kernel.request('interrupt_request', {}, 'control');
  await kernel.idle(stuck);
  await expectKept();
  await kernel.idle(change({ value: 150 }));
  expect((await kernel.execute('slider.value')).result).toBe('150');
});

test('stops the very first cell, which loads the library', async () => {
  const fresh = await KernelClient.start('ipc', WITHOUT_TYPES);
  try {
    const id = fresh.startExecution(
      "import { zeros } from 'stridelab'; var first = 1; const z = zeros(10); console.log('begun'); while (true) z.item(0);"
    );
    await fresh.published(({ type, parentId }) => type === 'stream' && parentId === id);
    await fresh.request('interrupt_request', {}, 'control');
    expect((await fresh.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
    expect((await fresh.execute('first')).result).toBe('1');
  } finally {
    await fresh.close();
  }
});

test('stops a first cell while it imports the library, which the next cell can import', async () => {
  for (const moment of [0, 30, 90]) {
    const fresh = await KernelClient.start('ipc', WITHOUT_TYPES);
    try {
      const id = fresh.startExecution("import { zeros } from 'stridelab'; while (true) zeros(3).item(0);");
      await fresh.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
      await pass(moment, 'each round tries another moment');
      await fresh.request('interrupt_request', {}, 'control');
      expect((await fresh.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
      const next = "import { ones } from 'stridelab'; ones(3).item(0)";
      let execution = await fresh.execute(next);
      // A request sent so soon after the interrupt may be treated as a queued cell.
      if (execution.reply['ename'] === 'Aborted') execution = await fresh.execute(next);
      expect(execution).toMatchObject({ reply: { status: 'ok' }, result: '1' });
    } finally {
      await fresh.close();
    }
  }
}, 60_000);

test('after an interrupted display of an array, later uses of arrays are observed again', async () => {
  for (let moment = 0; moment < 12; moment += 2)
    await interrupt("console.log('begun'); while (true) String(a);", moment);
  const probe = 'let told = 0; const watched = zeros(3); watched.onUse(() => told++); watched.fill(1); told';
  expect((await kernel.execute(probe)).result).toBe('1');
}, 30_000);
