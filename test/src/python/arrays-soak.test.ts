/** Arrays that go to Python and come back 100,000 times, in a process of their own: nothing is left of them. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isSanitized } from '../../setup/sanitized.ts';
import { describeWith, pythonOfTests } from './environment.ts';

const PROGRAM = join(import.meta.dirname, 'exchange-soak.mjs');
/** MiB by which heaps may grow for reasons of their own; one array in ten that stayed would be 80. */
const MOST_GROWN = 60;

/** AddressSanitizer keeps freed memory for a while, 256 MiB of it unless it is told otherwise: that would pass for growth. */
const env = isSanitized
  ? { ...process.env, ASAN_OPTIONS: `${process.env['ASAN_OPTIONS']}:quarantine_size_mb=1` }
  : process.env;

describeWith(['numpy'], '100,000 exchanges', () => {
  test.each(['turns', 'synchronous'])(
    'leave nothing behind: %s',
    async mode => {
      const { stdout } = await promisify(execFile)(process.execPath, [PROGRAM, pythonOfTests, mode], { env });
      const { grown, seen, live } = JSON.parse(stdout) as { grown: number; seen: number[]; live: number };
      expect(seen).toEqual([110_000, 0]);
      expect(live).toBe(0);
      expect(grown).toBeLessThan(MOST_GROWN);
    },
    120_000
  );
});
