/**
 * Array operations of the simulated device beside NumPy: `node bench/compute.mjs [--threads 1] [--part 1/4] [WORDS...]`. Prints a Markdown
 * table with a line for each row that contains all words: medians of both, and how many times faster Stridelab is. All rows take about
 * four minutes; `--part` runs one of several equal parts. STRIDELAB_BENCH_PYTHON names a Python that has NumPy.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpus } from 'node:os';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: { threads: { type: 'string' }, part: { type: 'string', default: '1/1' } }
});
const threads = options.threads ?? String(cpus().length);
// Before the native core is loaded, which reads them once.
process.env['STRIDELAB_SIM_THREADS'] = threads;
process.env['STRIDELAB_DEVICE'] = 'sim:0';
const { defaultDevice, NDArray, Stream } = await import('stridelab');
const { rows } = await import('./compute/rows.mjs');
const { values } = await import('./compute/values.mjs');

/** Seconds for a row on each side, in each of ROUNDS rounds. */
const SECONDS = 0.02;
const ROUNDS = 3;
/** Milliseconds before the first measurement of each round. */
const WARM_UP = 30;
/** A difference of this much is noise. */
const NOISE = 1.05;

const peer = spawn(
  process.env['STRIDELAB_BENCH_PYTHON'] ?? 'python3',
  [fileURLToPath(new URL('compute/peer.py', import.meta.url))],
  {
    stdio: ['pipe', 'pipe', 'inherit'],
    env: { ...process.env, OMP_NUM_THREADS: threads, OPENBLAS_NUM_THREADS: threads, MKL_NUM_THREADS: threads }
  }
);
const lines = createInterface({ input: peer.stdout });
const answers = lines[Symbol.asyncIterator]();
/** @returns {Promise<any>} */
async function answer() {
  const { value, done } = await answers.next();
  if (done === true) throw new Error('NumPy ended: name a Python that has it in STRIDELAB_BENCH_PYTHON');
  return JSON.parse(value);
}

const stream = Stream.legacyDefault(defaultDevice());

/** Microseconds of a call, one for each batch of calls. @param {() => unknown} work @param {ReadonlySet<unknown>} kept */
function times(work, kept) {
  const timed = (/** @type {number} */ repeat) => {
    const begun = performance.now();
    for (let count = 0; count < repeat; count++) {
      const made = work();
      if (made instanceof NDArray && !kept.has(made)) made.dispose();
    }
    stream.synchronize();
    return (performance.now() - begun) / repeat;
  };
  // V8 compiles what runs often.
  for (const end = performance.now() + WARM_UP; performance.now() < end;) timed(1);
  const repeat = Math.max(1, Math.trunc(1 / Math.max(timed(1), 1e-5)));
  const taken = [];
  const end = performance.now() + 1e3 * SECONDS;
  while (taken.length < 2 || performance.now() < end) taken.push(1e3 * timed(repeat));
  return taken;
}

const median = (/** @type {number[]} */ list) => list.toSorted((x, y) => x - y)[list.length >> 1] ?? NaN;

/** Arrays by name and content: rows that follow each other have some in common. @type {Map<string, InstanceType<typeof NDArray>>} */
const made = new Map();
const MOST_MADE = 12;

/** @param {import('./compute/rows.mjs').Row['arrays']} arrays */
function makeArrays(arrays) {
  const entries = Object.entries(arrays).map(
    ([name, of]) => /** @type {const} */ ([name, of, JSON.stringify([name, of])])
  );
  if (made.size + entries.length > MOST_MADE) {
    for (const array of made.values()) array.dispose();
    made.clear();
  }
  for (const [, of, key] of entries) if (!made.has(key)) made.set(key, values(...of));
  return Object.fromEntries(entries.map(([name, , key]) => [name, made.get(key)]));
}

/** Measures both sides in turn. @param {import('./compute/rows.mjs').Row} row */
async function measure({ name, arrays, ours, numpy }) {
  const on = makeArrays(arrays);
  const kept = new Set(Object.values(on));
  /** @type {{ ours: number[], theirs: number[] }} */
  const taken = { ours: [], theirs: [] };
  for (let round = 0; round < ROUNDS; round++) {
    // Threads of its BLAS spin for a while after each product.
    peer.kill('SIGSTOP');
    taken.ours.push(...times(() => ours(on), kept));
    peer.kill('SIGCONT');
    peer.stdin.write(`${JSON.stringify({ name, arrays, numpy, seconds: SECONDS })}\n`);
    taken.theirs.push(...(await answer()));
  }
  return { ours: median(taken.ours), theirs: median(taken.theirs) };
}

/** @param {number} ratio @param {number} bound */
function verdict(ratio, bound) {
  if (ratio >= NOISE) return 'first';
  if (ratio * NOISE >= 1) return 'level';
  return ratio * NOISE >= bound ? 'within 1.2' : 'behind';
}

/** @param {number} value */
const digits = value => (value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2));

const version = await answer();
const [part, parts] = options.part.split('/').map(Number);
const [begin, end] = [((part ?? 1) - 1) / (parts ?? 1), (part ?? 1) / (parts ?? 1)];
const chosen = rows
  .filter(({ name }) => positionals.every(word => name.includes(word)))
  .filter((_, index, all) => index >= Math.round(begin * all.length) && index < Math.round(end * all.length));
console.log(
  `${cpus()[0]?.model.trim()}; threads: ${threads}; Node ${process.version}; NumPy ${version}; microseconds\n`
);
console.log('| what | Stridelab | NumPy | ratio | verdict |\n| --- | --- | --- | --- | --- |');
/** @type {Record<string, number>} */
const verdicts = {};
for (const row of chosen) {
  const { ours, theirs } = await measure(row);
  const ratio = theirs / ours;
  const word = verdict(ratio, row.bound ?? 1);
  verdicts[word] = (verdicts[word] ?? 0) + 1;
  console.log(`| ${[row.name, digits(ours), digits(theirs), ratio.toFixed(2), word].join(' | ')} |`);
}
console.log(
  `\n${chosen.length} rows: ${Object.entries(verdicts)
    .map(entry => entry.join(' '))
    .join(', ')}`
);
peer.stdin.end();
await once(peer, 'exit');
