/**
 * All-reduce of 256 MiB over this machine's GPUs, compared with PyTorch on the same GPUs in the same run: `node bench/collectives.mjs
 * [--mib N] [--out FOLDER]`. Stridelab runs with all ranks in one process, and with one process for each rank, as PyTorch. Rounds alternate;
 * figures are medians. The bus bandwidth counts the bytes that each GPU must at least send and receive, 2 (n - 1) / n times the array, to
 * compare it with the bandwidth of the links. STRIDELAB_BENCH_PYTHON names the Python that has PyTorch. `--simulated` measures only the
 * host code.
 */
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { devices, Stream, zeros } from 'stridelab';
import { Communicator } from 'stridelab/collectives';

const ROUNDS = 5;
const CALLS = 20;
const WARM_UP = 5;

const here = fileURLToPath(new URL('.', import.meta.url));
const { values } = parseArgs({
  options: {
    mib: { type: 'string', default: '256' },
    out: { type: 'string' },
    simulated: { type: 'boolean', default: false },
    rank: { type: 'string' },
    size: { type: 'string' },
    id: { type: 'string' }
  }
});
const bytes = Number(values.mib) * 2 ** 20;
const chosen = devices().filter(
  device => device.simulated === values.simulated && device.kind !== 'recording'
);

/**
 * Returns the seconds per in-place call, measured over `CALLS` calls that are queued one after the other.
 * @param {readonly Communicator[]} communicators
 */
function measure(communicators) {
  const streams = communicators.map(({ device }) => new Stream({ device }));
  const arrays = streams.map(stream => zeros(bytes / 4, { dtype: 'float32', stream }));
  const call = () =>
    Communicator.group(() =>
      communicators.map((communicator, i) => communicator.allReduce(arrays[i], { out: arrays[i] }))
    );
  const wait = () => streams.forEach(stream => stream.synchronize());
  for (let i = 0; i < WARM_UP; i++) call();
  wait();
  const start = process.hrtime.bigint();
  for (let i = 0; i < CALLS; i++) call();
  wait();
  const seconds = Number(process.hrtime.bigint() - start) / 1e9 / CALLS;
  for (const array of arrays) array.dispose();
  for (const stream of streams) stream.dispose();
  return seconds;
}

/** Serves one rank in a separate process: runs a round for each input line, and prints its seconds. */
async function serveRank() {
  const [rank, size] = [Number(values.rank), Number(values.size)];
  const id = Uint8Array.from(Buffer.from(values.id ?? '', 'hex'));
  const communicator = await Communicator.init({ id, rank, size, device: chosen[rank] });
  for await (const _ of process.stdin) console.log(measure([communicator]));
  await communicator.destroy();
}

/** Starts the ranks. `round` of the result runs a round and returns the seconds of the slowest rank. */
function startRanks() {
  const id = Buffer.from(Communicator.uniqueId()).toString('hex');
  const children = chosen.map((_, rank) => {
    const self = fileURLToPath(import.meta.url);
    const args = ['--mib', values.mib, '--rank', `${rank}`, '--size', `${chosen.length}`, '--id', id];
    return spawn(process.execPath, [self, ...args], { stdio: ['pipe', 'pipe', 'inherit'] });
  });
  const answer = (/** @type {typeof children[number]} */ child) =>
    new Promise((resolve, reject) => {
      child.stdout.once('data', text => resolve(Number(text)));
      child.once('exit', status => reject(new Error(`a rank ended with status ${status}`)));
    });
  return {
    round: async () => {
      const answers = Promise.all(children.map(answer));
      for (const child of children) child.stdin.write('\n');
      return Math.max(...(await answers));
    },
    end: () => children.forEach(child => child.stdin.end())
  };
}

/** Returns the seconds per call of PyTorch's all_reduce in one round. */
function torchRound() {
  const program = process.env['STRIDELAB_BENCH_PYTHON'] ?? 'python3';
  const args = [join(here, 'peers', 'collectives.py'), chosen.length, bytes, WARM_UP, CALLS].map(String);
  const { status, stdout, stderr, error } = spawnSync(program, args, { encoding: 'utf8', timeout: 180_000 });
  if (status === 0) return JSON.parse(stdout.trim().split('\n').at(-1) ?? '');
  throw new Error(error?.message ?? `${program}: ${stderr.trim().slice(-400)}`);
}

const median = (/** @type {number[]} */ all) => all.sort((a, b) => a - b)[all.length >> 1] ?? NaN;

async function compare() {
  /** @type {Record<string, number[]>} */
  const taken = { 'Stridelab, one process': [] };
  const notes = [];
  const single = Communicator.initAll(chosen);
  const ranks = values.simulated ? undefined : startRanks();
  if (ranks !== undefined) taken['Stridelab, a process each'] = [];
  let torch = '';
  for (let round = 0; round < ROUNDS; round++) {
    taken['Stridelab, one process']?.push(measure(single));
    if (ranks !== undefined) taken['Stridelab, a process each']?.push(await ranks.round());
    if (values.simulated || notes.length > 0) continue;
    try {
      const { seconds, version } = torchRound();
      torch = version;
      (taken['PyTorch, a process each'] ??= []).push(seconds);
    } catch (problem) {
      notes.push(`Not measured: ${problem}`);
    }
  }
  ranks?.end();
  await Promise.all(single.map(communicator => communicator.destroy()));
  const size = chosen.length;
  const bus = (/** @type {number} */ seconds) => (bytes / seconds / 1e9) * ((2 * (size - 1)) / size);
  const peer = taken['PyTorch, a process each'];
  const base = peer === undefined ? NaN : median(peer);
  const rows = Object.entries(taken).map(([name, all]) => {
    const seconds = median(all);
    const ratio = Number.isNaN(base) ? '' : (base / seconds).toFixed(3);
    return `| ${name} | ${(seconds * 1e6).toFixed(0)} | ${bus(seconds).toFixed(1)} | ${ratio} |`;
  });
  const library = values.simulated ? 'host code' : `NCCL ${Communicator.library().version}`;
  return `# All-reduce of ${values.mib} MiB over ${size} times ${chosen[0]?.name}

* ${new Date().toISOString().slice(0, 10)}; Stridelab with ${library}${torch === '' ? '' : `, PyTorch ${torch}`}; float32, in place, ${CALLS} calls queued, medians of ${ROUNDS} rounds that alternate
* Bus bandwidth: bytes a second times 2 (n - 1) / n. Ratio: how many times faster than PyTorch; the budget is 0.97

| who | us a call | bus, GB/s | ratio |
| --- | --- | --- | --- |
${rows.join('\n')}
${notes.map(note => `\n${note}\n`).join('')}`;
}

if (values.rank !== undefined) {
  await serveRank();
} else if (chosen.length < 2) {
  const more = values.simulated ? '; set STRIDELAB_SIM_DEVICES=2' : '';
  console.log(`skipped: this needs at least two devices, but found ${chosen.length}${more}`);
} else {
  const page = await compare();
  console.log(page);
  if (values.out !== undefined) {
    mkdirSync(values.out, { recursive: true });
    const device = (chosen[0]?.name ?? '').replaceAll(/[^A-Za-z0-9]+/g, '-').replace(/-$/, '');
    const file = join(values.out, `${new Date().toISOString().slice(0, 10)}-collectives-${device}.md`);
    writeFileSync(file, page);
    console.log(file);
  }
}
