/**
 * The sum of one array of each GPU: by Dask's tree of tasks, whose arrays move between workers, and by `allReduce` between the Node processes
 * of the same workers: `node bench/cluster/reduce.mjs [--mib N] [--protocol tcp|ucxx]`. Medians.
 */
import { parseArgs } from 'node:util';
import { python } from 'stridelab';
import { connect } from 'stridelab/cluster';
import { Communicator } from 'stridelab/collectives';

const ROUNDS = 7;
const { values } = parseArgs({
  options: { mib: { type: 'string', default: '256' }, protocol: { type: 'string', default: 'ucxx' } }
});
const count = Number(values.mib) * 2 ** 18;
if (process.env['STRIDELAB_BENCH_PYTHON']) python.start({ python: process.env['STRIDELAB_BENCH_PYTHON'] });
await using cluster = await connect({
  gpus: 'each',
  protocol: /** @type {'tcp' | 'ucxx'} */ (values.protocol)
});
const workers = (await cluster.facts()).workers.map(({ address }) => address);

const make = cluster.fn(async (count, value) => {
  const { full } = await import('stridelab');
  return full([count], value, { dtype: 'float32', device: 'cuda:0' });
});
const plus = cluster.fn(async (a, b) => {
  const { add } = await import('stridelab');
  return add(a, b);
});
const reduce = cluster.fn(async (id, rank, size, count, rounds) => {
  const { full } = await import('stridelab');
  const { Communicator: Own } = await import('stridelab/collectives');
  const communicator = await Own.init({ id, rank, size, device: 'cuda:0' });
  const array = full([count], rank + 1, { dtype: 'float32', device: 'cuda:0' });
  const times = [];
  for (let round = 0; round <= rounds; round++) {
    array.stream.synchronize();
    const begin = performance.now();
    communicator.allReduce(array, { out: array });
    array.stream.synchronize();
    times.push(performance.now() - begin);
  }
  communicator.abort();
  return times.slice(1);
});

/** @param {readonly number[]} list */
const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const tree = [];
for (let round = 0; round <= ROUNDS; round++) {
  const parts = workers.map((address, index) =>
    make.with({ workers: [address], pure: false })(count, index + 1 + round)
  );
  await Promise.all(parts.map(part => part.ended()));
  const begin = performance.now();
  let level = parts;
  while (level.length > 1) {
    const pairs = [];
    for (let i = 0; i < level.length; i += 2)
      pairs.push(level[i + 1] === undefined ? level[i] : plus(level[i], level[i + 1]));
    level = pairs;
  }
  await level[0].ended();
  if (round > 0) tree.push(performance.now() - begin);
}
const id = Communicator.uniqueId();
const ranks = await cluster.gather(
  workers.map((address, rank) =>
    reduce.with({ workers: [address], pure: false })(id, rank, workers.length, count, ROUNDS)
  ),
  { progress: false }
);
console.log(`sum of ${values.mib} MiB on each of ${workers.length} GPUs, ${values.protocol}:`);
console.log(
  `  tree of tasks ${median(tree).toFixed(2)} ms, allReduce ${Math.max(...ranks.map(median)).toFixed(2)} ms`
);
