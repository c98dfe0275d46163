/**
 * Measures the kernels on the simulated device, beside NumPy, Numba's compiler for the CPU and Numba's simulator of CUDA:
 * `node --import stridelab/register bench/kernels/simulated.mjs [--out FOLDER]` prints JSON and the page; with a folder it stores the page.
 * STRIDELAB_BENCH_PYTHON names the Python with NumPy and Numba.
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { devices, Stream } from 'stridelab';
import { cases, three } from './cases.mjs';
import { page, store } from './page.mjs';

/** @typedef {import('./table.mjs').Figures} Figures */

const SCALE = 1 / 64;
/** Numba's simulator runs each thread as a Python thread. */
const SIMULATOR_SCALE = 2 ** -14;
/** Milliseconds for a kernel: slow ones get fewer rounds. */
const BUDGET_MS = 4000;
const TIMEOUT_MS = 300_000;
const PEERS = /** @type {const} */ ([
  ['NumPy', 'numpy', SCALE],
  ['Numba @njit', 'njit', SCALE],
  ['Numba’s simulator', 'simulator', SIMULATOR_SCALE]
]);

const { values } = parseArgs({ options: { out: { type: 'string' } } });
const device = devices().find(({ simulated }) => simulated);
if (device === undefined) throw new Error('found no simulated device: expected sim:0');
const stream = Stream.legacyDefault(device);
const median = (/** @type {number[]} */ list) => list.toSorted((a, b) => a - b)[list.length >> 1] ?? NaN;
/** @type {string[]} */
const notes = [];

/** Returns the milliseconds of at most `most` calls, fewer if they use up the budget. @param {() => void} call */
function rounds(call, most = 15) {
  const taken = [];
  for (let spent = 0; taken.length < most && spent < BUDGET_MS; spent += taken.at(-1) ?? 0) {
    const begun = performance.now();
    call();
    stream.synchronize();
    taken.push(performance.now() - begun);
  }
  return taken;
}

/** @returns {Promise<Figures>} */
async function ours() {
  const kernels = /** @type {any} */ (await import('./kernels.ts'));
  /** @type {Figures} */
  const figures = { first: {}, kernels: {}, 'launch, us': null };
  for (const { name, shape, arrays, scalars, amount, unit } of cases(device.label, SCALE)) {
    const launch = () => kernels[name].launch(shape, ...arrays, ...scalars);
    figures.first[name] = median(rounds(launch, 1));
    figures.kernels[name] = { unit, rate: (amount / median(rounds(launch))) * 1e3 };
  }
  const arrays = three(device.label);
  const batch = () => {
    for (let repeat = 0; repeat < 500; repeat++) kernels.nothing.launch({ grid: 1, block: 32 }, ...arrays);
  };
  batch();
  figures['launch, us'] = (median(rounds(batch, 40)) / 500) * 1e3;
  return figures;
}

/** @param {string} title @param {string} who @param {number} scale @returns {Figures | undefined} */
function peer(title, who, scale) {
  const program = process.env['STRIDELAB_BENCH_PYTHON'] ?? 'python3';
  const file = fileURLToPath(new URL('simulated.py', import.meta.url));
  const { status, stdout, stderr, error } = spawnSync(program, [file, who, String(scale)], {
    encoding: 'utf8',
    timeout: TIMEOUT_MS
  });
  if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  notes.push(`${title}: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  return undefined;
}

const cache = mkdtempSync(join(tmpdir(), 'kernels-'));
// A cache of its own, so that the first call compiles.
process.env['STRIDELAB_CACHE_DIR'] = cache;
try {
  /** @type {import('./table.mjs').Columns} */
  const columns = { Stridelab: await ours() };
  for (const [title, who, scale] of PEERS) {
    const figures = peer(title, who, scale);
    if (figures !== undefined) columns[title] = figures;
  }
  const text = page({
    device: device.name,
    columns,
    notes,
    facts: [
      'Sizes: 1/64 of those on a GPU. Numba’s simulator: 1/16384, because each thread is a Python thread; starting those is in its rates',
      'Rates are of medians of 15 launches, fewer for launches that take longer than 4 s together',
      'The simulated device uses all cores; NumPy uses them only for matmul, and Numba’s loops one',
      'A first call compiles, with an empty cache, and runs. For Numba @njit a launch is a call of a compiled function'
    ]
  });
  console.log(JSON.stringify({ device: device.name, libraries: columns, notes }, null, 1));
  console.log(text);
  if (values.out !== undefined) console.log(store(values.out, device.name, text));
} finally {
  rmSync(cache, { recursive: true, force: true });
}
