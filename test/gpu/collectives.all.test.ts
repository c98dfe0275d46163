/** Collectives with NCCL between two GPUs, in one process and in two. Skipped with a single GPU or without NCCL. */

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';

import {
  arange,
  DriverUnavailableError,
  empty,
  full,
  Stream,
  zeros,
  type DTypeName,
  type NDArray
} from 'stridelab';
import { Communicator } from 'stridelab/collectives';

import { device, LARGE, samples } from './device.ts';
import { all, first, second, tooFew } from './peers.ts';

/** The reason to skip; false if the tests can run. */
function obstacle(): string | false {
  if (tooFew !== false || device.simulated) return tooFew;
  try {
    Communicator.uniqueId();
    return false;
  } catch (error) {
    if (!(error instanceof DriverUnavailableError)) throw error;
    return error.message;
  }
}

const skip = obstacle();
const rankProgram = fileURLToPath(new URL('./collectives-rank.ts', import.meta.url));
const SECONDS = 1000;

describe('ranks of one process', { skip, timeout: 300 * SECONDS }, () => {
  const comms = skip === false ? Communicator.initAll([first, second]) : [];
  const both = <Result>(make: (comm: Communicator, rank: number) => Result): Result[] =>
    Communicator.group(() => comms.map(make));

  for (const dtype of [
    'int8',
    'uint8',
    'int32',
    'uint32',
    'int64',
    'uint64',
    'float16',
    'bfloat16',
    'float32',
    'float64'
  ] as const satisfies readonly DTypeName[])
    test(`allReduce of ${dtype}: sum, prod, min, max, avg`, () => {
      const wide = dtype === 'int64' || dtype === 'uint64';
      const a = comms.map(({ device }, rank) =>
        full(1000, wide ? BigInt(2 + 4 * rank) : 2 + 4 * rank, { dtype, device })
      );
      for (const [op, expected] of [
        ['sum', 8],
        ['prod', 12],
        ['min', 2],
        ['max', 6],
        ['avg', 4]
      ] as const) {
        const out = both((comm, rank) => comm.allReduce(a[rank] as NDArray, { op }));
        for (const result of out)
          assert.deepEqual(samples(result).map(Number), [expected, expected, expected], op);
      }
    });

  test('allReduce of 8-bit floats, if this NCCL supports them', t => {
    for (const dtype of ['float8_e4m3fn', 'float8_e5m2'] as const) {
      const a = comms.map(({ device }, rank) => full(64, 1 + rank, { dtype, device }));
      try {
        const [sum] = both((comm, rank) => comm.allReduce(a[rank] as NDArray));
        assert.equal((sum as NDArray).item(63), 3);
      } catch (error) {
        if ((error as { code?: string }).code !== 'ERR_ARGUMENT') throw error;
        t.diagnostic((error as Error).message);
      }
    }
  });

  test('broadcast, reduce, allGather, reduceScatter, send and recv', () => {
    const of = (rank: number, count: number): NDArray =>
      full(count, rank + 1, { dtype: 'float32', device: (comms[rank] as Communicator).device });
    const copies = both((comm, rank) => comm.broadcast(of(rank, 3), { root: 1 }));
    assert.deepEqual(
      copies.map(copy => copy.toNested()),
      [
        [2, 2, 2],
        [2, 2, 2]
      ]
    );
    const [none, sum] = both((comm, rank) => comm.reduce(of(rank, 2), { root: 1 }));
    assert.equal(none, null);
    assert.deepEqual(sum?.toNested(), [3, 3]);
    const gathered = both((comm, rank) => comm.allGather(of(rank, 2)));
    assert.deepEqual(
      gathered.map(whole => whole.toNested()),
      [
        [1, 1, 2, 2],
        [1, 1, 2, 2]
      ]
    );
    const parts = both((comm, rank) => comm.reduceScatter(gathered[rank] as NDArray));
    assert.deepEqual(
      parts.map(part => part.toNested()),
      [
        [2, 2],
        [4, 4]
      ]
    );
    const swapped = both((comm, rank) => {
      comm.send(of(rank, 2), { peer: 1 - rank });
      return comm.recv(of(rank, 2), { peer: 1 - rank });
    });
    assert.deepEqual(
      swapped.map(got => got.toNested()),
      [
        [2, 2],
        [1, 1]
      ]
    );
    const flags = both((comm, rank) =>
      comm.allGather(full(3, rank === 1, { dtype: 'bool', device: comm.device }))
    );
    assert.deepEqual(flags[0]?.toNested(), [false, false, false, true, true, true]);
  });

  test('a hundred rounds on streams that only the library orders give the right values', () => {
    const count = LARGE / 4;
    const streams = comms.map(({ device }) => [new Stream({ device }), new Stream({ device })] as const);
    const a = streams.map(([writes]) => empty(count, { dtype: 'float32', stream: writes }));
    for (let round = 1; round <= 100; round++) {
      a.forEach((array, rank) => array.fill(round + rank)); // on the first stream
      both((comm, rank) =>
        comm.allReduce(a[rank] as NDArray, { out: a[rank] as NDArray, stream: streams[rank]?.[1] })
      ); // on the second
      if (round % 10 === 0)
        for (const array of a) assert.deepEqual(samples(array), Array(3).fill(2 * round + 1));
    }
    for (const pair of streams) for (const stream of pair) stream.dispose();
  });

  test('memory of arrays disposed inside the group lives until the work is done', () => {
    for (let round = 0; round < 20; round++) {
      const sums = both(comm => {
        using a = full(LARGE / 4, round, { dtype: 'float32', device: comm.device });
        return comm.allReduce(a);
      });
      for (const sum of sums) {
        assert.deepEqual(samples(sum), Array(3).fill(2 * round));
        sum.dispose();
      }
    }
  });

  test('a call by one rank alone is refused instead of waiting forever', () => {
    const a = zeros(4, { device: first, dtype: 'float32' });
    assert.throws(() => comms[0]?.allReduce(a), { code: 'ERR_COLLECTIVE', message: /group/ });
  });

  test('other devices and other communicators work at the same time, and all can be ended', async () => {
    const others = Communicator.initAll(all);
    const outcomes = Communicator.group(() =>
      others.map(comm => comm.allReduce(arange(5, { dtype: 'float32', device: comm.device })))
    );
    for (const outcome of outcomes)
      assert.deepEqual(
        outcome.toNested(),
        [0, 1, 2, 3, 4].map(value => value * all.length)
      );
    await Promise.all(others.map(comm => comm.destroy()));
    await Promise.all(comms.map(comm => comm.ready()));
    await Promise.all(comms.map(comm => comm.destroy()));
    assert.throws(() => comms[0]?.allReduce(zeros(1, { device: first, dtype: 'float32' })), {
      code: 'ERR_FREED'
    });
  });
});

describe(
  'one process per rank',
  { skip: device.simulated ? 'simulated devices are of one process' : skip, timeout: 300 * SECONDS },
  () => {
    /** Runs ranks that rendezvous with an id from this process; returns each one's output, null if it printed nothing. */
    async function ranks(task: string, started: readonly number[]): Promise<unknown[]> {
      const id = Buffer.from(Communicator.uniqueId()).toString('hex');
      return Promise.all(started.map(rank => rankOutcome(task, rank, id)));
    }

    function rankOutcome(task: string, rank: number, id: string): Promise<unknown> {
      const label = [first, second][rank]?.label ?? '';
      return new Promise((resolve, reject) => {
        const child = spawn(process.execPath, [rankProgram, task, label, String(rank), '2', id], {
          stdio: ['ignore', 'pipe', 'pipe'],
          timeout: 100 * SECONDS
        });
        let [output, problems] = ['', ''];
        child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
        child.stderr.on('data', (chunk: Buffer) => (problems += chunk.toString()));
        child.once('error', reject);
        child.once('close', (status, signal) => {
          if (status !== 0)
            reject(new Error(`rank ${rank}: ${signal ?? `status ${status}`}\n${output}${problems}`));
          else resolve(JSON.parse(output.trim().split('\n').at(-1) || 'null'));
        });
      });
    }

    test('every operation gives the right values', async () => {
      const outcomes = await ranks('operations', [0, 1]);
      for (const [rank, outcome] of outcomes.entries())
        assert.deepEqual(outcome, {
          sums: [0, 10, 20, 30, 40].map(round => 2 * round + 1),
          copied: [1, 1, 1],
          gathered: [false, true],
          part: [1],
          received: [1 - rank, 1 - rank]
        });
    });

    test('a rank that never joins is a typed error after the timeout', async () => {
      const [outcome] = (await ranks('alone', [0])) as [
        { error: { code: string; message: string }; seconds: number }
      ];
      assert.equal(outcome.error.code, 'ERR_COLLECTIVE');
      assert.match(outcome.error.message, /rank 0 of 2: the other ranks did not connect within 3 s/);
      assert.ok(outcome.seconds < 30);
    });

    test('if a rank exits, the others abort and continue', async t => {
      const [outcome] = (await ranks('deserted', [0, 1])) as [
        { sum: number; outcome: unknown; after: unknown }
      ];
      t.diagnostic(JSON.stringify(outcome.outcome));
      assert.equal(outcome.sum, 2);
      assert.notEqual(outcome.outcome, 'done');
      assert.deepEqual(outcome.after, [3, 3, 3, 3]);
    });
  }
);
