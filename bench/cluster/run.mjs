/**
 * Tasks in TypeScript beside native Dask: `node bench/cluster/run.mjs [--workers N] [--out FOLDER] [--quick]`. Both clusters run at the same
 * time on this machine, and rounds alternate; figures are medians. STRIDELAB_BENCH_PYTHON names the Python that has Dask.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { python } from 'stridelab';
import { connect } from 'stridelab/cluster';

const { values } = parseArgs({
  options: {
    workers: { type: 'string', default: '2' },
    out: { type: 'string' },
    quick: { type: 'boolean', default: false }
  }
});
const here = fileURLToPath(new URL('.', import.meta.url));
const workers = Number(values.workers);
const [rounds, many] = values.quick ? [3, 500] : [7, 2_000];
const program = process.env['STRIDELAB_BENCH_PYTHON'] ?? join(here, '../../.venv/bin/python');

/** @param {readonly number[]} list */
const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)] ?? NaN;
/** @param {number} pid @returns {number} MiB */
const resident = pid =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024;

/** Starts Dask alone; the result runs a command there and returns its seconds. */
async function startNative() {
  const child = spawn(program, [join(here, 'native.py'), String(workers)], {
    stdio: ['pipe', 'pipe', 'inherit']
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  await lines.next();
  return {
    /** @param {string} name @param {number} count */
    async run(name, count) {
      child.stdin.write(`${name} ${count}\n`);
      return Number((await lines.next()).value);
    },
    end: () => child.stdin.end()
  };
}

/** @param {() => Promise<unknown>} work @returns {Promise<number>} seconds */
async function seconds(work) {
  const begin = performance.now();
  await work();
  return (performance.now() - begin) / 1_000;
}

python.start({ python: program });
const native = await startNative();
const cluster = await connect({ workers, threads: 1 });
const identity = cluster.fn(x => x, { name: 'identity' });
const make = cluster.fn(async index => {
  const { full } = await import('stridelab');
  return full([2 ** 18], index, { dtype: 'float32' });
});
const total = cluster.fn(async x => {
  const { sum } = await import('stridelab');
  return sum(x).item();
});
const sleep = cluster.fn(async _ => {
  await new Promise(resolve => setTimeout(resolve, 1_000));
  return process.ppid;
});
let used = 0;
/** New arguments, so that no task is known already. @param {number} count */
const numbers = count => Array.from({ length: count }, () => (used += 1));

/** Python releases its futures at once, JavaScript only with the next garbage. @param {readonly Disposable[]} remotes */
const release = remotes => remotes.forEach(each => each[Symbol.dispose]());

/** What native.py does, written with this library. */
const own = {
  /** @param {number} count */
  tasks: count =>
    seconds(async () => {
      const remotes = await cluster.map(identity, numbers(count));
      await cluster.gather(remotes, { progress: false });
      release(remotes);
    }),
  /** @param {number} count */
  async latency(count) {
    const times = [];
    for (const number of numbers(count)) times.push(await seconds(() => identity(number).get()));
    return median(times);
  },
  /** @param {number} count */
  arrays: count =>
    seconds(async () => {
      for (let at = 0; at < count; at += 100) {
        const made = await cluster.map(make, numbers(100));
        const totals = await cluster.map(total, made);
        await cluster.gather(totals, { progress: false });
        release([...made, ...totals]);
      }
    }),
  async recovery() {
    const [number] = numbers(1);
    const begin = performance.now();
    const remote = sleep(number);
    await pause(500);
    const pids = python.toJS(cluster.client.run(python.import('os').getpid));
    const [busy] = Object.entries(python.toJS(cluster.client.processing())).find(
      ([, keys]) => keys.length > 0
    );
    process.kill(pids[busy], 'SIGKILL');
    await remote;
    const taken = (performance.now() - begin) / 1_000 - 1;
    await python.callAsync(cluster.client.wait_for_workers, workers);
    return taken;
  }
};

/** Seconds after which the next task is done when a Node has crashed. */
async function nodeRecovery() {
  const crash = cluster.fn(() => process.kill(process.pid, 'SIGKILL'));
  const remote = crash.with({ pure: false })();
  await remote.ended();
  const [address] = Object.keys(python.toJS(cluster.client.run(python.import('os').getpid)));
  return seconds(() =>
    identity
      .with({ workers: [address], pure: false })(0)
      .get()
  );
}

/** @type {[what: string, unit: string, key: keyof typeof own, count: number, figure: (seconds: number) => number, better: 'more' | 'less'][]} */
const measures = [
  ['tasks, submitted together', '1/s', 'tasks', many, s => many / s, 'more'],
  ['a task and its result, one after the other', 'ms', 'latency', 100, s => s * 1_000, 'less'],
  ['arrays of 1 MiB made and summed', '1/s', 'arrays', many / 2, s => many / 2 / s, 'more'],
  ['delay by the loss of a worker', 's', 'recovery', 1, s => s, 'less']
];

const rows = [];
for (const [what, unit, key, count, figure, better] of measures) {
  const times = { own: [], native: [] };
  // The first round warms up.
  for (let round = 0; round <= (key === 'recovery' ? 2 : rounds); round++) {
    const [ours, theirs] = [await own[key](count), await native.run(key, count)];
    if (round > 0) times.own.push(ours);
    if (round > 0) times.native.push(theirs);
  }
  const [ours, theirs] = [figure(median(times.own)), figure(median(times.native))];
  rows.push({ what, unit, ours, theirs, ratio: better === 'more' ? ours / theirs : theirs / ours });
}
rows.push({ what: 'the next task after a crash of Node', unit: 's', ours: await nodeRecovery() });

const sys = python.import('sys');
sys.path.append(here);
const hop = python.import('hop');
cluster.client.upload_file(join(here, 'hop.py'));
const functions = [
  ['the hop to Node: a number', 'x => x', 0],
  ['the hop to Node: an asynchronous function', 'async x => x', 0],
  ['the hop to Node: an array of 1 MiB', 'x => x.size', 2 ** 20]
];
const sources = functions.map(([, source, size]) =>
  python.tuple([createHash('sha256').update(source).digest('hex'), source, size])
);
const hops = python.toJS(
  await python.callAsync(cluster.client.submit(hop.hop, sources, values.quick ? 200 : 2_000).result)
);
functions.forEach(([what], index) => rows.push({ what, unit: 'us', ours: hops[index] }));

/** Memory of all processes over 10,000 arrays of 1 MiB. */
const pids = cluster.fn(() => [process.pid, process.ppid]);
const processes = (
  await Promise.all(
    Object.keys(python.toJS(cluster.client.run(python.import('os').getpid))).map(address =>
      pids.with({ workers: [address], pure: false })()
    )
  )
).flat();
const memory = () => ({ client: resident(process.pid), largest: Math.max(...processes.map(resident)) });
const before = memory();
for (let round = 0; round < (values.quick ? 1 : 10); round++) await own.arrays(1_000);
const after = memory();
rows.push(
  {
    what: `client after ${values.quick ? 1 : 10},000 arrays (before: ${before.client.toFixed(0)})`,
    unit: 'MiB',
    ours: after.client
  },
  { what: `largest worker or Node (before: ${before.largest.toFixed(0)})`, unit: 'MiB', ours: after.largest }
);

/** @param {number | undefined} value */
const digits = value =>
  value === undefined || Number.isNaN(value) ? '' : value >= 100 ? value.toFixed(0) : value.toPrecision(3);
const versions = `Dask ${python.import('distributed').__version__}, ${workers} workers of 1 thread, ${cpus().length} × ${cpus()[0]?.model}`;
const text = [
  `${versions}; medians of ${rounds} alternating rounds.`,
  '',
  '| what | unit | Stridelab | Dask alone | ratio |',
  '| --- | --- | --- | --- | --- |',
  ...rows.map(
    ({ what, unit, ours, theirs, ratio }) =>
      `| ${what} | ${unit} | ${digits(ours)} | ${digits(theirs)} | ${ratio === undefined ? '' : ratio.toFixed(2)} |`
  )
].join('\n');
console.log(text);
if (values.out !== undefined) {
  mkdirSync(values.out, { recursive: true });
  writeFileSync(join(values.out, 'cluster.md'), `${text}\n`);
  writeFileSync(join(values.out, 'cluster.json'), JSON.stringify({ versions, rows }, null, 2));
}
native.end();
await cluster.close();
