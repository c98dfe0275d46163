/** Ranks that a launcher starts find each other, and go on without a lost one. Skipped with a single GPU or without NCCL. */

import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { DriverUnavailableError } from 'stridelab';
import { Communicator } from 'stridelab/collectives';
import { freePort } from '../setup/free-ports.ts';
import { device } from './device.ts';
import { tooFew } from './peers.ts';

const SECONDS = 1000;
const program = fileURLToPath(new URL('./environment-rank.ts', import.meta.url));

/** The reason to skip; false if the tests can run. */
function obstacle(): string | false {
  if (tooFew !== false || device.simulated) return tooFew;
  try {
    Communicator.library();
    return false;
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    return error.message;
  }
}

/** Runs a program and returns the lines of JSON that it prints, and how it ended. */
async function run(
  command: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>
): Promise<{
  lines: Record<string, unknown>[];
  status: number | null;
  signal: string | null;
  problems: string;
}> {
  const child = spawn(command, args, {
    env: { ...process.env, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: 120 * SECONDS
  });
  let [text, problems] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (problems += chunk.toString()));
  const [status, signal] = (await once(child, 'close')) as [number | null, string | null];
  const found = text.match(/\{.*\}/g) ?? [];
  return { lines: found.map(line => JSON.parse(line) as Record<string, unknown>), status, signal, problems };
}

async function loop(task: string): ReturnType<typeof Promise.all<ReturnType<typeof run>[]>> {
  const port = String(await freePort());
  return Promise.all(
    ['1', '0'].map(RANK =>
      run(process.execPath, [program, task], { RANK, WORLD_SIZE: '2', STRIDELAB_PORT: port })
    )
  );
}

describe('ranks by their environment', { skip: obstacle(), timeout: 300 * SECONDS }, () => {
  test('a plain loop starts two, each on its GPU', async () => {
    const [one, zero] = await loop('sum');
    assert.deepEqual(zero?.lines, [{ rank: 0, size: 2, device: 'cuda:0', sum: 3 }], zero?.problems);
    assert.deepEqual(one?.lines, [{ rank: 1, size: 2, device: 'cuda:1', sum: 3 }], one?.problems);
  });

  test('after one is killed, the other ends its collective, shrinks, and goes on', async t => {
    const [one, zero] = await loop('lost');
    assert.equal(one?.signal, 'SIGKILL');
    const [found] = zero?.lines ?? [];
    if (zero?.problems.includes('cannot shrink') === true) {
      t.skip(zero.problems);
      return;
    }
    const { ms, ...rest } = found ?? {};
    assert.deepEqual(rest, { rank: 0, size: 1, sum: 3, after: 1 }, zero?.problems);
    t.diagnostic(`shrink and the next allReduce: ${String(ms)} ms`);
  });

  test('torchrun starts two', async t => {
    const python = process.env['STRIDELAB_PYTHON'] ?? 'python3';
    if (spawnSync(python, ['-c', 'import torch.distributed.run'], { stdio: 'ignore' }).status !== 0) {
      t.skip('PyTorch is not installed');
      return;
    }
    const port = await freePort();
    const args = [
      '-m',
      'torch.distributed.run',
      '--no-python',
      '--nproc-per-node',
      '2',
      '--master-port',
      String(port),
      process.execPath,
      program,
      'sum'
    ];
    const { lines, problems } = await run(python, args, {});
    const sorted = lines.sort((a, b) => Number(a['rank']) - Number(b['rank']));
    assert.deepEqual(
      sorted.map(({ rank, size, sum }) => [rank, size, sum]),
      [
        [0, 2, 3],
        [1, 2, 3]
      ],
      problems
    );
  });
});
