/**
 * Random kernels compute the same, bit for bit, as JavaScript that rounds and wraps by itself, and have no faults. The environment
 * variables STRIDELAB_FUZZ_KERNELS and STRIDELAB_FUZZ_SEED set how many there are, and the first seed.
 */

import { fault, shrunk, textOf } from './compare.ts';
import { randomKernel } from './statements.ts';

const KERNELS = Number(process.env['STRIDELAB_FUZZ_KERNELS'] ?? 150);
const FIRST = Number(process.env['STRIDELAB_FUZZ_SEED'] ?? 1);
const GROUPS = 10;
/** Kernels of a test; more take long. */
const SIZE = Math.ceil(KERNELS / GROUPS);

test.each(Array.from({ length: GROUPS }, (_, group) => FIRST + group * SIZE))(
  `seeds from %d`,
  first => {
    for (let seed = first; seed < first + SIZE; seed++) {
      const pieces = randomKernel(seed);
      const found = fault(pieces);
      if (found === null) continue;
      const least = shrunk(pieces, found.kind);
      throw new Error(`seed ${seed}: ${found.kind}: ${fault(least)?.told}\n${textOf(least)}`);
    }
  },
  600_000
);
