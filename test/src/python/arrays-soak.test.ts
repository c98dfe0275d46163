/** Passes arrays to Python and back 100,000 times in a separate process: nothing leaks. */

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isSanitized } from '../../setup/sanitized.ts';
import { describeWith, pythonOfTests } from './environment.ts';

const PROGRAM = join(import.meta.dirname, 'exchange-soak.mjs');
/** MiB of heap growth that have other causes; a leak of one array in ten would be 80. */
const MOST_GROWN = 60;

/** AddressSanitizer keeps freed memory for a while, 256 MiB by default, which would look like growth. */
const env = {
  ...process.env,
  // A pool keeps its memory.
  STRIDELAB_CUDA_MEMORY_MANAGER: '',
  ...(isSanitized && { ASAN_OPTIONS: `${process.env['ASAN_OPTIONS']}:quarantine_size_mb=1` })
};

describeWith(['numpy'], '100,000 exchanges', () => {
  test.each(['turns', 'synchronous'])(
    'leak nothing: %s',
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
