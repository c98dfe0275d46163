/** Arrays on a Dask cluster of two worker processes. */

import { join } from 'node:path';

import { root, run } from '../setup/repository.ts';

test('arrays move between workers, spill, outlive workers, and are blocks of Dask arrays', async () => {
  const { status, output } = await run(
    join(root, '.venv/bin/python'),
    ['-B', '-m', 'unittest', 'discover', '-s', 'test/python/cluster-arrays'],
    // Frames of more than 1 MiB are sent in parts.
    { PYTHONPATH: join(root, 'python'), DASK_DISTRIBUTED__COMM__SHARD: '1MiB' }
  );
  expect(output).toMatch(/Ran [1-9]\d? tests[^]*OK/);
  expect(status).toBe(0);
}, 180_000);
