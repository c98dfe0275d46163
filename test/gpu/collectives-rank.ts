/**
 * One rank of collectives.all.test.ts, in its own process: `node collectives-rank.ts TASK LABEL RANK SIZE ID`, with the id in
 * hexadecimal digits. Prints one line of JSON.
 */

// Only a deadline shows that a collective never completes.
// eslint-disable-next-line no-restricted-imports
import { setTimeout as delay } from 'node:timers/promises';

import { CollectiveError, full, Stream, zeros } from 'stridelab';
import { Communicator } from 'stridelab/collectives';

const [task = '', label = '', rankText = '', sizeText = '', digits = ''] = process.argv.slice(2);
const [rank, size] = [Number(rankText), Number(sizeText)];
const id = Uint8Array.from(Buffer.from(digits, 'hex'));

/** The error's class and message, for the parent to compare. */
const told = (error: unknown): unknown =>
  error instanceof CollectiveError ? { code: error.code, message: error.message } : String(error);

async function operations(): Promise<unknown> {
  const comm = await Communicator.init({ id, rank, size, device: label });
  using stream = new Stream({ device: label });
  const a = full(2 ** 20, rank + 1, { dtype: 'float32', stream });
  const sums: unknown[] = [];
  for (let round = 0; round < 50; round++) {
    a.fill(round + rank);
    const sum = comm.allReduce(a);
    if (round % 10 === 0) sums.push(sum.item(2 ** 20 - 1));
    sum.dispose();
  }
  const copied = comm.broadcast(full(3, rank, { dtype: 'int64', stream }), { root: size - 1 }).toNested();
  const gathered = comm.allGather(full(1, rank, { dtype: 'bool', stream })).toNested();
  const part = comm.reduceScatter(full(size, rank, { dtype: 'float16', stream })).toNested();
  const received = Communicator.group(() => {
    comm.send(full(2, rank, { dtype: 'uint8', stream }), { peer: (rank + 1) % size });
    return comm.recv(zeros(2, { dtype: 'uint8', stream }), { peer: (rank + size - 1) % size });
  }).toNested();
  await comm.ready();
  await comm.destroy();
  return { sums, copied, gathered, part, received };
}

async function alone(): Promise<unknown> {
  const start = performance.now();
  try {
    await Communicator.init({ id, rank, size, device: label, timeout: 3000 });
  } catch (error) {
    return { error: told(error), seconds: (performance.now() - start) / 1000 };
  }
  return 'a communicator without its peers';
}

/** Rank 1 exits without notice after the first call; the others abort a collective that would never complete. */
async function deserted(): Promise<unknown> {
  const comm = await Communicator.init({ id, rank, size, device: label });
  using stream = new Stream({ device: label });
  const a = full(2 ** 16, 1, { dtype: 'float32', stream });
  const sum = comm.allReduce(a).item(0);
  if (rank === 1) process.exit(0);
  await delay(2000);
  let outcome: unknown = 'done';
  try {
    comm.allReduce(a, { out: a });
    const finished = await Promise.race([stream.synchronizeAsync().then(() => true), delay(3000, false)]);
    outcome = finished ? 'done' : 'waiting';
    await comm.ready();
  } catch (error) {
    outcome = told(error);
  }
  comm.abort();
  stream.synchronize();
  // The device remains usable, also with new communicators.
  const [again] = Communicator.initAll([label]);
  const b = full(4, 3, { dtype: 'float32', stream });
  return { sum, outcome, after: again?.allReduce(b).toNested() };
}

const tasks: Readonly<Record<string, () => Promise<unknown>>> = { operations, alone, deserted };
console.log(
  JSON.stringify(await (tasks[task] as () => Promise<unknown>)(), (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value
  )
);
process.exit(0);
