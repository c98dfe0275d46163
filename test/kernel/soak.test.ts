import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const SOAK = join(import.meta.dirname, '../../bench/kernel-soak.mjs');

test('hundreds of cells of all kinds do not increase the memory', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [SOAK, '--cells', '400', '--limit', '30']);
  expect(stdout).toMatch(/^400 cells: front \d.*, executor \d.* MiB$/m);
  expect(stdout).toMatch(/^executor: [+-]\d+\.\d MiB since the first fifth$/m);
}, 60_000);
