/** Runs the tests of what a cluster's picture reads, with real schedulers and workers of Dask. */

import { join } from 'node:path';
import { root, run } from '../setup/repository.ts';

test('facts of Dask clusters', async () => {
  const { status, output } = await run(
    join(root, '.venv', 'bin', 'python'),
    ['-B', '-m', 'unittest', 'discover', '-s', 'test/python/cluster-facts'],
    { PYTHONPATH: join(root, 'python') }
  );
  expect(output).toMatch(/Ran (3[6-9]|[4-9]\d) tests[^]*OK/);
  expect(status).toBe(0);
}, 300_000);
