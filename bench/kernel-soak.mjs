/**
 * A long session: `node bench/kernel-soak.mjs [--cells 20000] [--limit MIB]`. Runs cells of every kind in one kernel, samples the
 * memory of each of its processes, and fails if a process grows by more than the limit after the first fifth of the cells.
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { BenchClient } from './kernel/client.mjs';
import { memoryOf, processTree } from './kernel/memory.mjs';
import { stridelab } from './kernel/peers.mjs';

const SAMPLES = 10;
/** Samples that warm up caches, heaps and compiled code. */
const WARM_UP = 2;

const { values } = parseArgs({
  options: { cells: { type: 'string', default: '20000' }, limit: { type: 'string', default: '40' } }
});
const total = Number(values.cells);
const limit = Number(values.limit);

/** @type {readonly ((n: number) => string)[]} */
const kinds = [
  n => `${n} + 1`,
  n => `let count = ${n}; const twice = count * 2; function add(x: number) { return x + count + ${n}; }`,
  n => `class Point { constructor(readonly x = ${n}) {} }; new Point()`,
  n =>
    `interface Row { id: number; name: string } const rows: Row[] = Array.from({ length: 50 }, (_, id) => ({ id, name: 'n' + (id + ${n}) })); rows`,
  n => `for (let i = 0; i < 50; i++) console.log('line', i + ${n});`,
  n => `await new Promise<void>(resolve => setTimeout(resolve, 0)); ${n};`,
  n => `throw new Error('expected ${n}', { cause: new TypeError('inner') })`,
  n => `let broken${n % 10} = ;`,
  n => `const text: number = 'of the wrong type ${n}';`,
  n => `display({ n: ${n} }); new Array(1000).fill(${n});`,
  n => `import { join } from 'node:path'; join('a', '${n}')`
];
/** Number of cells between two comm rounds. */
const COMM_EVERY = 20;

const { argv, env } = stridelab();
const kernel = await BenchClient.start(argv, env === undefined ? {} : { env });
const root = /** @type {number} */ (kernel.child.pid);
/** @type {Record<string, number>[]} in MiB by process */
const samples = [];
const begun = performance.now();
console.log(`${total} cells`);
for (let n = 0; n < total; n += 1) {
  const code = /** @type {(n: number) => string} */ (kinds[n % kinds.length])(n);
  const { reply } = await kernel.execute(code);
  const failing = code.startsWith('throw') || code.startsWith('let broken');
  if (!failing && reply['status'] !== 'ok' && reply['ename'] !== 'TypeScriptError')
    throw new Error(`cell ${n} failed: ${code}: ${reply['evalue']}`);
  if (n % COMM_EVERY === 0) await talk(`comm-${n}`);
  if ((n + 1) % Math.floor(total / SAMPLES) === 0) await sample(n + 1);
}
await kernel.close();

const grown = Object.entries(samples.at(-1) ?? {}).map(([name, last]) => ({
  name,
  by: last - (samples[WARM_UP - 1]?.[name] ?? last)
}));
for (const { name, by } of grown)
  console.log(`${name}: ${by >= 0 ? '+' : ''}${by.toFixed(1)} MiB since the first fifth`);
const milliseconds = (performance.now() - begun) / total;
console.log(`${milliseconds.toFixed(2)} ms a cell; growth allowed: ${limit} MiB for each process`);
process.exit(grown.every(({ by }) => by <= limit) ? 0 : 1);

/** Opens a comm, requests the states of all widgets, and closes it, as a page does. @param {string} id */
async function talk(id) {
  const comm = { comm_id: id, target_name: 'jupyter.widget.control' };
  await said('comm_open', { ...comm, data: {} });
  await said('comm_msg', { comm_id: id, data: { method: 'request_states' } });
  await said('comm_close', { comm_id: id, data: {} });
}

/** @param {string} type @param {object} content */
async function said(type, content) {
  let id = '';
  const idle = kernel.next(
    (_, message) => message.parent === id && message.content['execution_state'] === 'idle',
    60_000
  );
  id = kernel.send('shell', type, content);
  await idle;
}

/** @param {number} cells */
async function sample(cells) {
  // The TypeScript server starts in a pause of the cells, and has its size only when it has checked them.
  await kernel.request('settle_request', {});
  await kernel.execute(
    "require('node:v8').setFlagsFromString('--expose-gc'); require('node:vm').runInNewContext('gc')(); 0;"
  );
  /** @type {Record<string, number>} */
  const now = {};
  for (const pid of processTree(root)) {
    const name = nameOf(pid);
    if (name !== undefined) now[name] = memoryOf(pid).rss;
  }
  samples.push(now);
  const shown = Object.entries(now).map(([name, rss]) => `${name} ${rss.toFixed(1)}`);
  console.log(`${cells} cells: ${shown.join(', ')} MiB`);
}

/** Returns the name of the process; undefined if it has just ended. @param {number} pid */
function nameOf(pid) {
  let command = '';
  try {
    command = readFileSync(`/proc/${pid}/cmdline`, 'latin1');
  } catch {
    return undefined;
  }
  if (command === '') return undefined;
  if (command.includes('--lsp')) return 'TypeScript server';
  return pid === root ? 'front' : 'executor';
}
