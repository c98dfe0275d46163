/** A hundred thousand imports from Python with each protocol, in separate processes: no wrong values, no growth, no leaked handles. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { describeWith, pythonOfTests, type Library } from './environment.ts';

const PROGRAM = join(import.meta.dirname, 'import-soak.mjs');
const COUNT = 100_000;
/** 8 KiB each: a leak of all would add 640 MiB between the two measurements. */
const MOST_GROWTH_MIB = 256;
const DEADLINE_MS = 120_000;

interface Outcome {
  readonly early: number;
  readonly late: number;
  readonly wrong: number;
  readonly handles: number;
}

function soak(expression: string, via: string, how: string): Outcome {
  const told = execFileSync(process.execPath, [PROGRAM, pythonOfTests, expression, via, how, String(COUNT)], {
    encoding: 'utf8',
    timeout: DEADLINE_MS
  });
  return JSON.parse(told) as Outcome;
}

const CASES: readonly (readonly [
  needed: readonly Library[],
  expression: string,
  via: string,
  how: string
])[] = [
  [['torch'], 'torch.ones(1024, dtype=torch.float64)', 'exchange-table', 'synchronous'],
  [['numpy'], 'np.ones(1024)', 'dlpack', 'turns'],
  [['numpy'], 'np.ones(1024)', 'dlpack', 'synchronous'],
  [[], 'CountedCuda()', 'cuda-array-interface', 'turns'],
  [[], 'Counted()', 'array-interface', 'dispose'],
  [[], 'array.array("d", [1.0]) * 1024', 'buffer', 'synchronous']
];

describe.each(CASES)('%j %s by %s', (needed, expression, via, how) => {
  describeWith(needed, how, () => {
    test(
      'is imported without a leak (rules 167, 168)',
      () => {
        const { early, late, wrong, handles } = soak(expression, via, how);
        expect(wrong).toBe(0);
        expect(late - early).toBeLessThan(MOST_GROWTH_MIB);
        expect(handles).toBeLessThan(100);
      },
      DEADLINE_MS
    );
  });
});
