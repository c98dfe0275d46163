/** Where the debugger stops, and how it continues. */

import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { kernel, withKernel } from './one-kernel.ts';
import { WITHOUT_TYPES } from './client.ts';
import { DebugClient, places, type Frame } from './debug-client.ts';
import { pass, until } from '../setup/until.ts';

let debug: DebugClient;
withKernel('tcp', WITHOUT_TYPES);
beforeAll(() => {
  debug = new DebugClient(kernel);
});

test('kernel_info announces the debugger; requests before an attach report what is missing', async () => {
  await debug.ask('disconnect');
  expect(await kernel.request('kernel_info_request', {})).toMatchObject({ debugger: true });
  expect(await debug.request('setBreakpoints', { source: { path: '/x.ts' }, breakpoints: [] })).toMatchObject(
    {
      success: false,
      message: expect.stringContaining('not attached') as string
    }
  );
  // JupyterLab sends this after every cell, attached or not.
  expect(await debug.ask('modules')).toEqual({ modules: [], totalModules: 0 });
  expect(await debug.request('unheardOf')).toMatchObject({ success: false, command: 'unheardOf' });
  expect(await debug.ask('debugInfo')).toMatchObject({
    isStarted: false,
    hashMethod: 'Murmur2',
    breakpoints: []
  });
});

beforeEach(() => debug.attach());
afterEach(async () => {
  if (kernel.child.exitCode === null) await debug.request('disconnect');
});

test('a breakpoint set before the cell runs stops it at the line, with its variables', async () => {
  await debug.event('initialized');
  const code =
    'interface P { x: number }\nconst p: P = { x: 1 };\nfunction f(n: number): number {\n  const m = n * 2;\n  return m;\n}\nf(p.x)';
  const { path, lines } = await debug.breakIn(code, 4);
  expect(lines).toEqual([4]);
  const id = kernel.startExecution(code);
  const frames = await debug.stopped();
  expect(places(frames)).toEqual(['f:4', expect.stringMatching(/^Cell \[\d+\]:7$/)]);
  expect(frames[0]!.source!.path).toBe(path);
  expect(await debug.ask('debugInfo')).toMatchObject({ isStarted: true, stoppedThreads: [1] });
  expect(await debug.step('next')).toBe('f:5');
  const scopes = await debug.scopes((await debug.frames())[0]!.id);
  expect(Object.keys(scopes)).toEqual(['Local', 'Cell', 'Global']);
  expect(await debug.variables(scopes['Local']!)).toMatchObject({
    n: { value: '1', type: 'number' },
    m: { value: '2' }
  });
  expect(await debug.variables(scopes['Cell']!)).toMatchObject({ p: { value: '{x: 1}', type: 'Object' } });
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe('2');
});

test('a breakpoint that is set again while its cell starts and runs stops it', async () => {
  // JupyterLab sends a cell's breakpoints on the click, and again a second after the last edit.
  for (let round = 0; round < 5; round += 1) {
    const code = `const end${round} = Date.now() + 200;\nwhile (Date.now() < end${round});\nconst met${round} = ${round};\nmet${round}`;
    const { path } = await debug.breakIn(code, 3);
    const id = kernel.startExecution(code);
    let over = false;
    const stopped = debug.stopped().then(([top]) => `stopped at ${top!.line}`);
    const finished = kernel.finish(id);
    const first = Promise.race([stopped, finished.then(() => 'ran to its end')]).finally(() => (over = true));
    while (!over) await debug.ask('setBreakpoints', { source: { path }, breakpoints: [{ line: 3 }] });
    expect(`round ${round}: ${await first}`).toBe(`round ${round}: stopped at 3`);
    await debug.continue();
    expect((await finished).result).toBe(String(round));
  }
}, 60_000);

test('requests about an earlier stop fail with the lists that clients read', async () => {
  const code = 'const before = 1;\nconst after = before + 1;\nafter';
  await debug.breakIn(code, 2);
  const id = kernel.startExecution(code);
  const [top] = await debug.stopped();
  const scopes = await debug.scopes(top!.id);
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe('2');
  const late = async (command: string, args: object): Promise<unknown> =>
    debug.request(command, args as Record<string, unknown>);
  // The end of the stop and the cell's reply arrive on different channels.
  await until(async () => !((await late('stackTrace', { threadId: 1 })) as { success: boolean }).success);
  expect(await late('stackTrace', { threadId: 1 })).toMatchObject({
    success: false,
    body: { stackFrames: [] }
  });
  expect(await late('scopes', { frameId: top!.id })).toMatchObject({ success: false, body: { scopes: [] } });
  expect(await late('variables', { variablesReference: scopes['Local'] ?? scopes['Cell']! })).toMatchObject({
    body: { variables: [] }
  });
});

test('steps over, in and out, past code of the kernel and across awaits', async () => {
  const code = [
    'async function work(n: number) {',
    '  await new Promise(resolve => setTimeout(resolve, 5));',
    '  return n + 1;',
    '}',
    'let total = 0;',
    'total += await work(1);',
    'total += await work(2);',
    '[3].forEach(n => {',
    '  total += n;',
    '});',
    'total'
  ].join('\n');
  const { lines } = await debug.breakIn(code, 5);
  expect(lines).toEqual([5]);
  const id = kernel.startExecution(code);
  const [{ name: cell }] = (await debug.stopped()) as [Frame, ...Frame[]];
  expect(await debug.step('next')).toBe(`${cell}:6`);
  expect(await debug.step('next')).toBe(`${cell}:7`);
  expect(await debug.step('stepIn')).toBe('work:2');
  expect(await debug.step('next')).toBe('work:3');
  expect(await debug.step('stepOut')).toBe(`${cell}:8`);
  expect(await debug.step('stepIn')).toBe('(anonymous):9');
  expect(await debug.step('stepOut')).toBe(`${cell}:11`);
  await debug.ask('next');
  expect((await kernel.finish(id)).result).toBe('8');
});

test('a breakpoint set after the cell ran moves to the next line that can stop, stays for a second run, and can be removed', async () => {
  const code = 'function late() {\n  // nothing here\n\n  return 5;\n}';
  await kernel.execute(code);
  expect((await debug.breakIn(code, 2)).lines).toEqual([4]);
  const call = kernel.startExecution('late()');
  expect(places(await debug.stopped())).toEqual(['late:4', expect.stringMatching(/^Cell \[\d+\]:1$/)]);
  await debug.continue();
  expect((await kernel.finish(call)).result).toBe('5');
  await kernel.execute(code);
  const again = kernel.startExecution('late()');
  await debug.stopped();
  await debug.continue();
  await kernel.finish(again);
  expect((await debug.breakIn(code)).lines).toEqual([]);
  expect((await kernel.execute('late()')).result).toBe('5');
});

test('lines without code and cells that do not compile are reported', async () => {
  expect((await debug.breakIn('const a1 = 1;\n// end', 2)).lines).toEqual([undefined]);
  const { sourcePath } = await debug.ask<{ sourcePath: string }>('dumpCell', { code: 'let = ;' });
  expect(
    await debug.ask('setBreakpoints', { source: { path: sourcePath }, breakpoints: [{ line: 1 }] })
  ).toMatchObject({ breakpoints: [{ verified: false, message: expect.any(String) as string }] });
});

test('conditions, hit counts and log points work', async () => {
  const code = 'let seen = 0;\nfor (let i = 0; i < 10; i++) {\n  seen += i;\n}\nseen';
  await debug.breakIn(code, { line: 3, condition: '(i as number) === 7' });
  const conditional = kernel.startExecution(code);
  const [frame] = await debug.stopped();
  expect(await debug.evaluate('i', frame!.id)).toBe('7');
  await debug.continue();
  await kernel.finish(conditional);

  await debug.breakIn(code, { line: 3, hitCondition: '9' });
  const counted = kernel.startExecution(code);
  const [ninth] = await debug.stopped();
  expect(await debug.evaluate('i', ninth!.id)).toBe('8');
  await debug.breakIn(code);
  await debug.continue();
  await kernel.finish(counted);

  await debug.breakIn(code, { line: 3, logMessage: 'i is {i}, seen {seen}' });
  const { stdout, result } = await kernel.execute(code);
  expect(stdout.split('\n').slice(0, 2)).toEqual(['i is 0, seen 0', 'i is 1, seen 0']);
  expect(stdout.split('\n')).toHaveLength(11);
  expect(result).toBe('45');
  expect((await debug.breakIn(code, { line: 3, condition: '1 +' })).lines).toEqual([undefined]);
  await debug.breakIn(code);
});

test('a breakpoint in an imported file stops, whether it was set before the file is loaded or after', async () => {
  const file = join(kernel.folder, 'helper.ts');
  writeFileSync(
    file,
    'export interface Q { a: number }\nexport function help(q: Q): number {\n  const a = q.a;\n  return a + 1;\n}\n'
  );
  const set = (line: number) =>
    debug.ask<{ breakpoints: { verified: boolean; line: number }[] }>('setBreakpoints', {
      source: { path: file },
      breakpoints: [{ line }]
    });
  expect((await set(3)).breakpoints).toMatchObject([{ verified: false }]);
  const id = kernel.startExecution("import { help } from './helper.ts';\nhelp({ a: 1 })");
  expect(await debug.event('breakpoint')).toMatchObject({ breakpoint: { verified: true, line: 3 } });
  const frames = await debug.stopped();
  expect(frames[0]).toMatchObject({ name: 'help', line: 3, source: { path: file, name: 'helper.ts' } });
  expect((await set(4)).breakpoints).toMatchObject([{ verified: true, line: 4 }]);
  await debug.continue();
  expect((await debug.stopped())[0]).toMatchObject({ line: 4 });
  expect(await debug.ask('source', { source: { path: file } })).toMatchObject({
    content: expect.stringContaining('help') as string
  });
  expect(await debug.ask('modules')).toMatchObject({ modules: [{ name: 'helper.ts', path: file }] });
  await debug.ask('setBreakpoints', { source: { path: file }, breakpoints: [] });
  await debug.continue();
  expect((await kernel.finish(id)).result).toBe('2');
});

test('debugger statements, timers, and a pause of a loop stop', async () => {
  const id = kernel.startExecution('setTimeout(() => {\n  const inTimer = 1;\n  debugger;\n}, 5); 0');
  await kernel.finish(id);
  const frames = await debug.stopped();
  expect(frames[0]).toMatchObject({ name: '(anonymous)', line: 3 });
  await debug.continue();
  const loop = kernel.startExecution("console.log('on');\nconst state = { go: true };\nwhile (state.go) {}");
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === loop);
  await debug.ask('pause', { threadId: 1 });
  const [top] = await debug.stopped();
  expect(top!.line).toBe(3);
  await debug.evaluate('state.go = false', top!.id);
  await debug.continue();
  expect((await kernel.finish(loop)).reply).toMatchObject({ status: 'ok' });
});

test('the handler of a widget stops', async () => {
  const code =
    "import { IntSlider } from 'stridelab/widgets';\nconst slid = new IntSlider();\nslid.observe('value', () => {\n  debugger;\n});";
  const { messages } = await kernel.execute(code);
  const opened = messages.find(({ content }) => JSON.stringify(content).includes('IntSliderModel'));
  const data = { method: 'update', state: { value: 7 }, buffer_paths: [] };
  kernel.send('shell', 'comm_msg', { comm_id: opened!.content['comm_id'], data });
  expect((await debug.stopped())[0]).toMatchObject({ line: 4 });
  await debug.continue();
  expect((await kernel.execute('slid.value')).result).toBe('7');
});

test('exceptions stop: all, or those that no notebook code catches', async () => {
  const caught =
    'try {\n  throw new Error("inner");\n} catch {}\nconst g = async () => { await 0; try { throw new Error("later"); } catch {} };\nawait g();\n1';
  const uncaught = 'const a2 = 1;\nJSON.parse("{");';
  const rejected = 'await 0;\nawait Promise.reject(new RangeError("no"));';
  await debug.ask('setExceptionBreakpoints', { filters: ['uncaught'] });
  expect((await kernel.execute(caught)).result).toBe('1');
  const failing = kernel.startExecution(uncaught);
  expect(await debug.event('stopped')).toMatchObject({
    reason: 'exception',
    text: expect.stringContaining('SyntaxError') as string
  });
  expect((await debug.frames())[0]!.line).toBe(2);
  expect(await debug.ask('exceptionInfo', { threadId: 1 })).toMatchObject({ exceptionId: 'SyntaxError' });
  await debug.continue();
  expect((await kernel.finish(failing)).reply).toMatchObject({ ename: 'SyntaxError' });
  const library = kernel.startExecution("require('node:fs').readFileSync('/nowhere')");
  expect(await debug.event('stopped')).toMatchObject({ reason: 'exception' });
  expect((await debug.frames())[0]!.line).toBe(1);
  await debug.continue();
  await kernel.finish(library);
  const rejecting = kernel.startExecution(rejected);
  await debug.event('stopped');
  await debug.continue();
  await kernel.finish(rejecting);
  await debug.ask('setExceptionBreakpoints', { filters: ['all'] });
  const all = kernel.startExecution(caught);
  expect((await debug.stopped())[0]!.line).toBe(2);
  await debug.continue();
  expect((await debug.stopped())[0]!.line).toBe(4);
  await debug.continue();
  expect((await kernel.finish(all)).result).toBe('1');
  await debug.ask('setExceptionBreakpoints', { filters: [] });
  expect((await kernel.execute(uncaught)).reply).toMatchObject({ status: 'error' });
});

test('while the code is stopped, completion and hover answer, a queued cell waits, and an interrupt ends the cell', async () => {
  const code = 'const kept = 7;\ndebugger;\nwhile (true) {}';
  const id = kernel.startExecution(code);
  await debug.stopped();
  const queued = kernel.startExecution('kept', { stop_on_error: false });
  expect(await kernel.request('complete_request', { code: 'Math.flo', cursor_pos: 8 })).toMatchObject({
    matches: ['floor']
  });
  expect(
    await kernel.request('inspect_request', { code: 'Math', cursor_pos: 2, detail_level: 0 })
  ).toMatchObject({ found: true });
  expect(kernel.iopub.some(({ type, parentId }) => type === 'execute_input' && parentId === queued)).toBe(
    false
  );
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.finish(queued)).reply).toMatchObject({ ename: 'Aborted' });
  await debug.event('continued');
  expect((await kernel.execute('kept')).result).toBe('7');
});

test.each([
  ['a loop', 'while (true) {}'],
  ['a loop in a timer', 'setTimeout(() => { while (true) {} }, 5); await new Promise(() => {})'],
  [
    'a storm of microtasks',
    'const storm = () => void Promise.resolve().then(storm); storm(); await new Promise(() => {})'
  ],
  ['a wait', 'await new Promise(() => {})'],
  [
    'a loop over native waits',
    "const { zeros } = await import('stridelab'); const z = zeros(10); while (true) z.item(0)"
  ],
  ['a storm of ticks', 'const tick = () => process.nextTick(tick); tick(); await new Promise(() => {})'],
  [
    'a stop in a timer',
    'setTimeout(() => {\n  debugger;\n  while (true) {}\n}, 5); await new Promise(() => {})'
  ]
])('while the debugger is attached an interrupt ends %s and keeps the variables', async (_, code) => {
  await kernel.execute('const survivor = 8');
  const id = kernel.startExecution(`console.log('begun');\n${code}`);
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  await pass(50, 'the cell gets stuck right after it printed');
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.execute('await new Promise(r => setTimeout(() => r(survivor), 5))')).result).toBe('8');
});

test('a detach lets the cell continue, removes the breakpoints, and costs later cells nothing', async () => {
  const code = 'let w = 0;\nw += 1;\nw';
  await debug.breakIn(code, 2);
  const id = kernel.startExecution(code);
  await debug.stopped();
  await debug.ask('disconnect', { terminateDebuggee: false });
  expect((await kernel.finish(id)).result).toBe('1');
  expect(await debug.ask('debugInfo')).toMatchObject({
    isStarted: false,
    breakpoints: [],
    stoppedThreads: []
  });
  expect((await kernel.execute(code)).result).toBe('1');
  await debug.attach();
  await debug.breakIn(code, 3);
  const again = kernel.startExecution(code);
  expect((await debug.stopped())[0]!.line).toBe(3);
  await debug.continue();
  await kernel.finish(again);
});

test('when the executor is replaced, the debugger is attached to the next one, with its breakpoints', async () => {
  const code = 'let z = 1;\nz += 1;\nz';
  await debug.breakIn(code, 2);
  const id = kernel.startExecution(code);
  await debug.stopped();
  const frameId = (await debug.frames())[0]!.id;
  void debug.request('evaluate', { expression: 'process.kill(process.pid, "SIGKILL")', frameId });
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'ExecutorDied' });
  await debug.event('continued');
  const next = kernel.startExecution(code);
  expect((await debug.stopped())[0]!.line).toBe(2);
  await debug.continue();
  expect((await kernel.finish(next)).result).toBe('2');
});

test('a shutdown ends a stopped kernel, without running the rest of the cell', async () => {
  const mark = join(kernel.folder, 'ran-on');
  kernel.startExecution(
    `debugger;\nrequire('node:fs').writeFileSync(${JSON.stringify(mark)}, '');\nwhile (true) {}`
  );
  await debug.stopped();
  const ended = new Promise(resolve => kernel.child.once('exit', resolve));
  expect(await kernel.request('shutdown_request', { restart: false }, 'control')).toMatchObject({
    status: 'ok'
  });
  expect(await ended).toBe(0);
  expect(existsSync(mark)).toBe(false);
});
