import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { traceback, WITHOUT_TYPES, type Execution } from './client.ts';
import { kernel, withKernel } from './one-kernel.ts';
import { pass, until } from '../setup/until.ts';

withKernel('tcp', WITHOUT_TYPES);
beforeAll(async () => {
  await kernel.execute('const kept = 42');
});

/** Runs a cell and interrupts it shortly after it printed something. */
async function interruptPrinting(code: string): Promise<Execution> {
  const id = kernel.startExecution(code);
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  await pass(60, 'the cell gets stuck right after it printed');
  expect(await kernel.request('interrupt_request', {}, 'control')).toEqual({ status: 'ok' });
  return kernel.finish(id);
}

/** Interrupts a cell shortly before it blocks. */
const interrupt = (code: string): Promise<Execution> => interruptPrinting(`console.log('begun');\n${code}`);

const never = 'await new Promise(() => {})';

/** A module with one function, `(loop (br 0))`. */
const WASM_LOOP =
  'const bytes = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0, 10, 9, 1, 7, 0, 3, 64, 12, 0, 11, 11];\n' +
  'new WebAssembly.Instance(new WebAssembly.Module(new Uint8Array(bytes))).exports.f()';

/** The 17 situations of the benchmark (bench/kernel/situations.mjs), and others. */
test.each([
  ['a loop', 'while (true) {}'],
  ['a loop that catches and cleans up', 'try { while (true) {} } catch {} finally { while (true) {} }'],
  ['a loop that prints', "while (true) console.log('x')"],
  [
    'a generator',
    'function* g() { try { while (true) yield 1 } finally { while (true) {} } }\nfor (const x of g());'
  ],
  ['a loop after an await', 'await 0; while (true) {}'],
  ['a loop after a timer', 'await new Promise(r => setTimeout(r, 5)); while (true) {}'],
  ['a loop in a timer', `setTimeout(() => { while (true) {} }, 5); ${never}`],
  ['a loop in an interval', `setInterval(() => { while (true) {} }, 5); ${never}`],
  ['a loop in an immediate', `setImmediate(() => { while (true) {} }); ${never}`],
  [
    'a loop in an immediate between others',
    `for (const work of [() => {}, () => { while (true) {} }, () => {}]) setImmediate(work); ${never}`
  ],
  ['a loop in a callback of a file', `require('node:fs').readFile('.', () => { while (true) {} }); ${never}`],
  ['a loop after the promise of a file', "await require('node:fs/promises').stat('.'); while (true) {}"],
  [
    'a loop in the event of a child process',
    `require('node:child_process').spawn('true').on('exit', () => { while (true) {} }); ${never}`
  ],
  ['a storm of microtasks', `const storm = () => void Promise.resolve().then(storm); storm(); ${never}`],
  ['a storm of ticks', `const tick = () => process.nextTick(tick); tick(); ${never}`],
  ['a regular expression', "/(a+)+b/.test('a'.repeat(40))"],
  ['a loop of JSON', 'while (true) JSON.parse(JSON.stringify(Array(1000).fill({})))'],
  ['a loop of WebAssembly', WASM_LOOP],
  ['a loop that makes stacks', "while (true) String(new Error('x').stack)"],
  ['a recursion without end', 'const sink = () => { try { sink(); } catch {} sink(); }; sink();'],
  [
    'a loop below a changed Error',
    'Error.stackTraceLimit = 0; Error.prepareStackTrace = () => { throw 1; }; try { while (true) {} } finally { kept }'
  ],
  [
    'a loop in an immediate of the module, before another',
    `const { setImmediate: soon } = require('node:timers'); soon(() => { while (true) {} }); soon(() => {}); ${never}`
  ],
  ['a blocked thread', 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0)'],
  ['a wait that never ends', never],
  ['a wait beside a timer', `setInterval(() => {}, 100); ${never}`],
  ['a for await', 'for await (const x of (async function* () { while (true) yield 1 })());'],
  ['the display of a value', "({ [Symbol.for('Jupyter.display')]() { while (true) {} } })"],
  ['a getter', '({ get endless() { while (true) {} } }).endless'],
  [
    'a spawned program and the wait for it',
    "const child = require('node:child_process').spawn('sleep', ['20']); await new Promise(r => child.on('x', r))"
  ],
  [
    'a thread that it started',
    "const { Worker } = require('node:worker_threads'); await new Promise(r => new Worker('while (true) {}', { eval: true }).on('x', r))"
  ],
  ['programs that it waits for in its own thread', "require('node:child_process').execSync('sleep 20')"]
])('stops %s and keeps the variables', async (_, code) => {
  const { reply } = await interrupt(code);
  expect(reply).toMatchObject({ status: 'error' });
  // A program killed by the signal makes its call fail before the cell is stopped.
  if (!code.includes('execSync')) expect(reply['ename']).toBe('Interrupted');
  const probe =
    "await new Promise(r => setTimeout(r, 5)); await new Promise(r => setImmediate(r)); await require('node:fs/promises').stat('.'); kept";
  expect((await kernel.execute(probe)).result).toBe('42');
});

test('an interval whose function was stopped never calls it again', async () => {
  // A function may have variables that shadow globals.
  const hiding = 'const hide = (Symbol: number) => { while (true) Symbol += 1; }; await 0; hide(0)';
  for (const body of ['await 0; while (true) await 0', 'while (true) {}', hiding]) {
    const { reply } = await interrupt(
      `var calls = 0; setInterval(async () => { calls += 1; if (calls === 1) { ${body}; } }, 1); ${never}`
    );
    expect(reply['ename']).toBe('Interrupted');
    const later = 'const before = calls; await new Promise(r => setTimeout(r, 30)); calls - before';
    expect((await kernel.execute(later)).result).toBe('0');
  }
});

test('an interval that another cell started continues', async () => {
  await kernel.execute('var ticks = 0; const ticking = setInterval(() => (ticks += 1), 1); 0;');
  expect((await interrupt('while (true) await new Promise(setImmediate)')).reply['ename']).toBe(
    'Interrupted'
  );
  const later =
    'const seen = ticks; await new Promise(r => setTimeout(r, 30)); clearInterval(ticking); ticks > seen';
  expect((await kernel.execute(later)).result).toBe('true');
});

test('ends the programs and threads of the interrupted cell, not the threads of earlier ones', async () => {
  const thread = "new (require('node:worker_threads').Worker)('setInterval(() => {}, 100)', { eval: true })";
  await kernel.execute(
    `let ended = ''; const early = ${thread}; early.on('exit', () => (ended += 'early '))`
  );
  await interruptPrinting(`
    const own = ${thread}.on('exit', () => (ended += 'own '));
    const program = require('node:child_process').spawn('sleep', ['20']);
    program.on('exit', (_, signal) => (ended += signal + ' '));
    await Promise.all([[own, 'online'], [program, 'spawn']].map(about => require('node:events').once(...about)));
    console.log('begun');
    ${never}`);
  const done =
    "while (ended.length < 11) await new Promise(r => setTimeout(r, 5)); ended.split(' ').sort().join()";
  expect((await kernel.execute(done)).result).toBe("',SIGINT,own'");
  await kernel.execute('await early.terminate()');
});

test('sends its SIGINT to programs, never to the executor', async () => {
  // A library's own signal handler may exit the process, as NVRTC's does while it compiles.
  await kernel.execute("var signals = 0; var count = () => (signals += 1); process.on('SIGINT', count); 0;");
  const wait = (ends: string): string => `
    const program = require('node:child_process').spawn('sleep', ['20']);
    ${ends} = require('node:events').once(program, 'exit');
    await require('node:events').once(program, 'spawn'); console.log('begun'); ${never}`;
  for (const round of [1, 2]) {
    await interruptPrinting(wait('globalThis.exited'));
    expect((await kernel.execute(`(await exited)[1] + ${round}`)).result).toBe(`'SIGINT${round}'`);
  }
  expect((await kernel.execute("process.off('SIGINT', count); signals")).result).toBe('0');
});

test('reports that native code is not interruptible, and stops the cell when it returns', async () => {
  const id = kernel.startExecution(`
    require('node:child_process').execSync('mkfifo pipe');
    console.log('begun');
    require('node:fs').readFileSync('pipe');
    while (true) {}`);
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  await kernel.request('interrupt_request', {}, 'control');
  const { content } = await kernel.published(
    ({ parentId, content }) => parentId === id && content['name'] === 'stderr'
  );
  expect(content['text']).toMatch(/waits for a native call/);
  writeFileSync(join(kernel.folder, 'pipe'), '');
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.execute('kept')).result).toBe('42');
});

test('requested twice at the same time, stops one cell and not the next', async () => {
  const id = kernel.startExecution("console.log('begun'); while (true) {}");
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  const requests = [1, 2, 3].map(() => kernel.request('interrupt_request', {}, 'control'));
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  const next = kernel.execute('for (const end = Date.now() + 80; Date.now() < end; ); kept');
  await Promise.all(requests);
  expect((await next).result).toBe('42');
});

test('requested repeatedly while the end of the cell is being reported, reports it', async () => {
  // Many names: the kernel checks one by one whether the cell assigned them.
  const names = Array.from({ length: 1_500 }, (_, i) => `let many${i} = ${i};`).join('\n');
  const id = kernel.startExecution(`${names}\nconsole.log('begun'); while (true) {}`);
  await kernel.published(({ type, parentId }) => type === 'stream' && parentId === id);
  let over = false;
  const finished = kernel.finish(id).finally(() => (over = true));
  while (!over) await kernel.request('interrupt_request', {}, 'control');
  expect((await finished).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.execute('many1499')).result).toBe('1499');
});

test('immediately after the request, stops a cell that has just begun', async () => {
  for (let round = 0; round < 5; round += 1) {
    const id = kernel.startExecution(`const huge${round} = [${'1,'.repeat(2_000)}]; while (true) {}`);
    await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
    await kernel.request('interrupt_request', {}, 'control');
    expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
  }
  expect((await kernel.execute('kept')).result).toBe('42');
});

test('stops a callback that runs between cells', async () => {
  await kernel.execute("setTimeout(() => { console.log('callback'); while (true) {} }, 10); 0;");
  await kernel.published(({ type, content }) => type === 'stream' && content['text'] === 'callback\n');
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.execute('kept')).result).toBe('42');
});

test('names the interrupted line', async () => {
  const { reply } = await interrupt('function spin() {\n  while (true) {}\n}\nspin()');
  expect(traceback(reply)).toMatch(/spin \(Cell \[\d+\]:3:3\)/);
});

test('raises the flag that native waits poll, and clears it for the next cell', async () => {
  const flag = "globalThis[Symbol.for('stridelab.interrupt-flag')]";
  const { reply } = await interrupt(`Atomics.wait(${flag}, 0, ${flag}[0]); while (true) {}`);
  expect(reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.execute(`${flag}[0] & 1`)).result).toBe('0');
});

test('afterwards a timer of another cell does not wait to be stopped', async () => {
  const file = (name: string): string => JSON.stringify(join(kernel.folder, name));
  await kernel.execute(`import { existsSync as isThere, writeFileSync as write } from 'node:fs';
    const timer = setInterval(() => {
      if (!isThere(${file('over')})) return;
      clearInterval(timer);
      const begun = performance.now();
      globalThis[Symbol.for('stridelab.await-stop')]();
      write(${file('waited')}, String(performance.now() - begun));
    }, 1);`);
  expect((await interrupt(never)).reply).toMatchObject({ ename: 'Interrupted' });
  writeFileSync(join(kernel.folder, 'over'), '');
  await until(() => existsSync(join(kernel.folder, 'waited')), 30);
  // A wait that expects to be stopped takes ten seconds.
  expect(Number(readFileSync(join(kernel.folder, 'waited'), 'utf8'))).toBeLessThan(5_000);
});

test('aborts the queued cells', async () => {
  const stuck = kernel.startExecution('while (true) {}');
  const queued = kernel.startExecution('1');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === stuck);
  // Replies are in order of the shell: by now the second cell has been read too.
  await kernel.request('history_request', { hist_access_type: 'tail', n: 1 });
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.finish(stuck)).reply).toMatchObject({ ename: 'Interrupted' });
  expect((await kernel.finish(queued)).reply).toMatchObject({ ename: 'Aborted' });
});

test('a signal has the same effect', async () => {
  const id = kernel.startExecution('while (true) {}');
  await kernel.published(({ type, parentId }) => type === 'execute_input' && parentId === id);
  kernel.child.kill('SIGINT');
  expect((await kernel.finish(id)).reply).toMatchObject({ ename: 'Interrupted' });
});

test('between cells does nothing', async () => {
  await kernel.request('interrupt_request', {}, 'control');
  expect((await kernel.execute('kept')).result).toBe('42');
});

test('stops a cell while immediates of an earlier cell repeat, and these continue', async () => {
  await kernel.execute(
    'let turns = 0; let turning = setImmediate(function turn() { turns += 1; turning = setImmediate(turn); }); 0;'
  );
  const { reply } = await interrupt('while (true) {}');
  expect(reply).toMatchObject({ ename: 'Interrupted' });
  const { result, stderr } = await kernel.execute(
    'const before = turns; await new Promise(resolve => setTimeout(resolve, 20)); clearImmediate(turning); turns > before'
  );
  expect({ result, stderr }).toEqual({ result: 'true', stderr: '' });
});

test('immediates keep their order, arguments, this and promise, and report misuse', async () => {
  const code = `
    const seen = [];
    const first = setImmediate(function (...given) { seen.push(given.join(), this === first); process.nextTick(() => seen.push('tick')); }, 1, 2);
    setImmediate(() => seen.push('second'));
    clearImmediate(setImmediate(() => seen.push('cleared')));
    seen.push(await require('node:util').promisify(setImmediate)('value'), await require('node:timers/promises').setImmediate('later'));
    try { setImmediate(null); } catch (error) { seen.push(error.code); }
    seen.push(setImmediate.name);
    seen.join(' ')`;
  expect((await kernel.execute(code)).result).toBe(
    "'1,2 true tick second value later ERR_INVALID_ARG_TYPE setImmediate'"
  );
});
