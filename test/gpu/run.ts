/**
 * Runs the GPU tests: `node test/gpu/run.ts [OPTION...] [FILE...]`, where a file is named by a part of its name. The last line counts
 * everything.
 *
 * A file's name states what it needs, by words before `.test.ts`:
 *   alone  its devices for itself: its tests count or fill memory, or need work that is still running when the next call is made
 *   all    all devices; other files get one of them
 *   parts  several processes that share its tests (STRIDELAB_TEST_SHARD)
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

import { devices } from 'stridelab';

import { killRunning, runFile, type FileRun } from './runner/process.ts';
import { sanitizerCommand, sanitizerProblems, TOOLS } from './runner/sanitizer.ts';
import { jobsOf, Schedule, type Job } from './runner/schedule.ts';
import { fileText, summaryText } from './runner/summary.ts';

/** Device memory for each process: contexts, the caches of PyTorch and CuPy, and the arrays of a test. */
const MEMORY = 4 * 2 ** 30;
/** Seconds for a file; sanitizers take many times as long. */
const TIMEOUT = { plain: 180, sanitized: 1800 };
const MOST_PARTS = 8;

const { values: options, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    jobs: { type: 'string', default: String(Math.max(1, availableParallelism() - 1)) },
    timeout: { type: 'string' },
    logs: { type: 'string' },
    sanitizer: { type: 'string' }
  }
});
const tool = options.sanitizer;
if (tool !== undefined && !TOOLS.includes(tool))
  throw new Error(`--sanitizer ${tool}: expected one of ${TOOLS.join(', ')}`);
const timeout = Number(options.timeout ?? (tool === undefined ? TIMEOUT.plain : TIMEOUT.sanitized));

const here = fileURLToPath(new URL('.', import.meta.url));
const files = readdirSync(here)
  .filter(name => name.endsWith('.test.ts'))
  .filter(name => positionals.length === 0 || positionals.some(part => name.includes(part)));
if (files.length === 0) throw new Error(`no file of ${here} has ${positionals.join(' or ')} in its name`);

const label = process.env['STRIDELAB_TEST_DEVICE'] ?? 'cuda:0';
const kind = devices().find(device => device.label === label)?.kind;
const tested = devices().filter(device => device.kind === kind);
if (tested.length === 0) throw new Error(`no device ${label}`);

const jobs = Number(options.jobs);
const schedule = new Schedule(
  files.flatMap(file => jobsOf(file, Math.min(MOST_PARTS, jobs))),
  { jobs, slots: tested.map(device => Math.max(1, Math.floor(device.totalMemory / MEMORY))) }
);

process.on('exit', killRunning);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

const logs = options.logs ?? mkdtempSync(join(tmpdir(), 'stridelab-gpu-tests-'));
mkdirSync(logs, { recursive: true });
const began = performance.now();
const runs: FileRun[] = [];

/** The file's name, with the part of it. */
function nameOf({ file, part }: Job): string {
  return file.replace(/\.test\.ts$/, '') + (part === null ? '' : `-${part.replace('/', '-of-')}`);
}

async function run(job: Job, indexes: readonly number[]): Promise<void> {
  const name = nameOf(job);
  const visible = indexes.map(index => tested[index]?.uuid).join();
  const done = await runFile({
    name,
    file: join(here, job.file),
    under: tool === undefined ? [] : sanitizerCommand(tool, name, logs),
    environment: {
      ...(kind === 'cuda' && { CUDA_VISIBLE_DEVICES: visible }),
      ...(job.part !== null && { STRIDELAB_TEST_SHARD: job.part }),
      ...(tool !== undefined && { STRIDELAB_TEST_SANITIZER: tool }),
      // JAX would otherwise take most of a device that it shares.
      XLA_PYTHON_CLIENT_PREALLOCATE: 'false'
    },
    timeout,
    logs
  });
  const found = tool === undefined ? [] : sanitizerProblems(tool, name, logs);
  const complete = { ...done, failures: [...done.failures, ...found] };
  runs.push(complete);
  console.log(fileText(complete));
  schedule.end(job);
  await startMore();
}

/** Starts what can run now; resolves when that, and what it starts, has ended. */
async function startMore(): Promise<void> {
  const started: Promise<void>[] = [];
  for (let next = schedule.start(); next !== undefined; next = schedule.start())
    started.push(run(next.job, next.devices));
  await Promise.all(started);
}

await startMore();
const where = `${tested.length} ${tested.length === 1 ? 'device' : 'devices'}, up to ${jobs} at a time`;
console.log(summaryText(runs, (performance.now() - began) / 1000, where));
if (options.logs === undefined) rmSync(logs, { recursive: true, force: true });
else
  writeFileSync(
    join(logs, 'results.json'),
    JSON.stringify(
      runs.map(({ output: _, ...rest }) => rest).sort((a, b) => b.seconds - a.seconds),
      null,
      1
    )
  );
process.exitCode = runs.every(({ failures }) => failures.length === 0) ? 0 : 1;
