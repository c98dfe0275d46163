/**
 * One rank of ranks.all.test.ts, which a launcher starts: `node environment-rank.ts sum|lost`. Prints one line of JSON. With `lost`, rank 1
 * is killed in a collective, and the others go on without it.
 */

import { full, Stream } from 'stridelab';
import { Communicator } from 'stridelab/collectives';

const [task = 'sum'] = process.argv.slice(2);
const comm = await Communicator.fromEnvironment({ timeout: 60_000 });
const { rank, size, device } = comm;
using stream = new Stream({ device });
const a = full(1 << 20, rank + 1, { dtype: 'float32', stream });
const sum = comm.allReduce(a).item(0);
if (task === 'sum') {
  console.log(JSON.stringify({ rank, size, device: device.label, sum }));
  await comm.destroy();
} else if (rank === 1) {
  process.kill(process.pid, 'SIGKILL');
} else {
  comm.allReduce(a); // rank 1 never joins
  const begin = performance.now();
  const rest = await comm.shrink({ lost: [1] });
  const after = rest.allReduce(a).item(0);
  const ms = Math.round(performance.now() - begin);
  console.log(JSON.stringify({ rank: rest.rank, size: rest.size, sum, after, ms }));
  rest.abort();
  process.exit(); // work of the old communicator may still be on its stream
}
