/**
 * Array operations of the simulated device compared with NumPy, each on one thread: `node bench/compute.mjs`. Milliseconds for
 * 2^25 float32 elements (128 MiB per array) and for a product of 2048 by 2048 matrices: minimum and median of 15 runs, alternating
 * every 5. STRIDELAB_BENCH_PYTHON names a Python that has NumPy.
 */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';
import { native } from '../dist/src/native/load.js';
import { ELEMENT_TYPES } from '../dist/src/compute/program/element-types.js';
import { OPCODES } from '../dist/src/compute/program/instructions.js';

const COUNT = 2 ** 25;
const SIDE = 2048;
const ROUNDS = 3;
const RUNS = 5;

const PYTHON = `
import json, time
import numpy as np
n, side = ${COUNT}, ${SIDE}
a, b, out = (np.full(n, value, np.float32) for value in (1.5, 2.5, 0))
x, y, product = (np.full((side, side), value, np.float32) for value in (1.5, 2.5, 0))
def times(call):
    taken = []
    for _ in range(${RUNS} + 1):
        start = time.perf_counter()
        call()
        taken.append(1e3 * (time.perf_counter() - start))
    return taken[1:]
print(json.dumps({
    "add": times(lambda: np.add(a, b, out=out)),
    "sum": times(lambda: a.sum()),
    "sum of columns": times(lambda: a.reshape(-1, 4096).sum(0)),
    "matmul": times(lambda: np.matmul(x, y, out=product)),
    "version": np.__version__,
}))`;

const binding = native();
const [device] = binding.devices('simulated');
if (device === undefined) throw new Error('found no simulated device');
const stream = binding.createStream(device, { blocking: false, priority: 0 });
const [a, b, out] = [0x3fc00000, 0x40200000, 0].map(pattern => {
  const storage = binding.allocate(device, 4 * COUNT, 'device');
  storage.fill(0, 4, pattern, COUNT, stream);
  return storage;
});
if (a === undefined || b === undefined || out === undefined) throw new Error('expected three arrays');

const FLOAT32 = ELEMENT_TYPES.indexOf('float32');
const program = binding.compute.makeProgram(
  Int32Array.of(2, 1, 0, 1, FLOAT32, FLOAT32, OPCODES.indexOf('add'), FLOAT32, 0, 1, -1, 2, FLOAT32),
  new Uint8Array(0)
);
const { compute } = binding;
const matrix = [0, 4 * SIDE, 4];
/** @type {Record<string, () => void>} */
const calls = {
  add: () => compute.elementwise(stream, program, Float64Array.of(1, COUNT, 0, 4, 0, 4, 0, 4), [out, a, b]),
  sum: () => compute.reduce(stream, 'sum', FLOAT32, FLOAT32, Float64Array.of(0, 1, COUNT, 0, 0, 4), [out, a]),
  'sum of columns': () =>
    compute.reduce(
      stream,
      'sum',
      FLOAT32,
      FLOAT32,
      Float64Array.of(1, 4096, 1, COUNT / 4096, 0, 4, 0, 4, 4 * 4096),
      [out, a]
    ),
  matmul: () =>
    compute.matmul(stream, FLOAT32, Float64Array.of(0, SIDE, SIDE, SIDE, ...matrix, ...matrix, ...matrix), [
      out,
      a,
      b
    ])
};

/** @param {() => void} call */
function times(call) {
  const taken = Array.from({ length: RUNS + 1 }, () => {
    const start = performance.now();
    call();
    stream.synchronize();
    return performance.now() - start;
  });
  return taken.slice(1);
}

/** @returns {Record<string, number[]> & { version?: string }} */
function numpy() {
  const program = process.env['STRIDELAB_BENCH_PYTHON'] ?? 'python3';
  const env = { ...process.env, OMP_NUM_THREADS: '1', OPENBLAS_NUM_THREADS: '1', MKL_NUM_THREADS: '1' };
  const { status, stdout, stderr, error } = spawnSync(program, ['-c', PYTHON], { encoding: 'utf8', env });
  if (status === 0) return JSON.parse(stdout);
  console.error(`${program} failed: ${error?.message ?? stderr.trim().split('\n').at(-1)}`);
  return {};
}

/** @type {Record<string, { ours: number[], theirs: number[] }>} */
const figures = Object.fromEntries(Object.keys(calls).map(name => [name, { ours: [], theirs: [] }]));
let version = 'none';
for (let round = 0; round < ROUNDS; round++) {
  for (const [name, call] of Object.entries(calls)) figures[name]?.ours.push(...times(call));
  const peers = numpy();
  version = peers.version ?? version;
  for (const name of Object.keys(calls)) figures[name]?.theirs.push(...(peers[name] ?? []));
}

/** @param {number[]} list @param {number} at from 0 to 1 */
const quantile = (list, at) => list.toSorted((x, y) => x - y)[Math.floor(at * (list.length - 1))] ?? NaN;
/** @param {number} value */
const cell = value => value.toFixed(2).padStart(10);
console.log(
  `${device.name}; ${cpus()[0]?.model.trim()}; Node ${process.version}; NumPy ${version}; one thread each`
);
console.log(`${'ms'.padEnd(16)}      least     NumPy     ratio    median     NumPy     ratio`);
for (const [name, { ours, theirs }] of Object.entries(figures)) {
  const cells = [0, 0.5].flatMap(at => {
    const [us, them] = [quantile(ours, at), quantile(theirs, at)];
    return [us, them, them / us];
  });
  console.log(`${name.padEnd(14)}${cells.map(cell).join('')}`);
}
