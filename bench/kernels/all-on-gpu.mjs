/**
 * Measures the kernels on a GPU beside CUDA C++ and the libraries of Python:
 * `node --import stridelab/register bench/kernels/all-on-gpu.mjs [--out FOLDER]` prints both JSONs and the page; with a folder it stores the
 * page. STRIDELAB_BENCH_PYTHON names the Python, by default python3.
 */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { SOURCE } from './cuda.mjs';
import { page, store } from './page.mjs';
import { columnsOfGpu } from './table.mjs';

const TIMEOUT_MS = 600_000;
const { values } = parseArgs({ options: { out: { type: 'string' } } });
const path = (/** @type {string} */ name) => fileURLToPath(new URL(name, import.meta.url));

/** Runs a program that prints JSON. @param {string} program @param {readonly string[]} args @param {string} [input] */
function run(program, args, input = '') {
  const { status, stdout, stderr, error } = spawnSync(program, args, {
    encoding: 'utf8',
    input,
    timeout: TIMEOUT_MS,
    maxBuffer: 2 ** 26
  });
  if (status !== 0)
    throw new Error(
      `${program} ${args.join(' ')}: ${error?.message ?? `status ${status}: ${stderr.trim().slice(-2000)}`}`
    );
  console.log(stdout.trim());
  return JSON.parse(stdout);
}

const gpu = run(process.execPath, ['--import', 'stridelab/register', path('gpu.mjs')]);
/** @type {{ python?: string, libraries: import('./table.mjs').Columns, notes: string[] }} */
let peers = { libraries: {}, notes: [] };
try {
  peers = run(process.env['STRIDELAB_BENCH_PYTHON'] ?? 'python3', [path('peers.py')], SOURCE);
} catch (error) {
  peers.notes.push(`the libraries of Python: ${error instanceof Error ? error.message : String(error)}`);
}
const text = page({
  device: gpu.device,
  columns: { ...columnsOfGpu(gpu), ...peers.libraries },
  notes: peers.notes,
  facts: [
    `Python ${peers.python ?? 'not found'}`,
    'Rates are of medians of 15 runs of 5 launches, timed by events; the cost of a launch on the host is the median of 40 batches of 500',
    'A first call compiles: all caches were empty. CUDA C++ is compiled once for all kernels. Kernels of Warp use its tiles, and its histogram has no shared memory'
  ]
});
console.log(text);
if (values.out !== undefined) console.log(store(values.out, gpu.device, text));
