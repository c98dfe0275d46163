/**
 * Runs the GPU tests: `node test/gpu/run.mjs`. The last line counts everything.
 *
 * Files named `*.alone.test.ts` run one after the other when the rest is done. Their tests count or fill the device's memory, or
 * need work that is still running when the next call is made, which other processes on the same device can prevent.
 */
import { readdirSync } from 'node:fs';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';

const here = new URL('.', import.meta.url);
const files = readdirSync(here).filter(name => name.endsWith('.test.ts'));
const alone = files.filter(name => name.endsWith('.alone.test.ts'));

/** @param {readonly string[]} names @param {number | true} concurrency true: as many as the machine has cores, less one */
function runFiles(names, concurrency) {
  const results = run({ files: names.map(name => new URL(name, here).pathname), concurrency });
  results.compose(spec).pipe(process.stdout, { end: false });
  return new Promise(resolve => {
    results.on('test:summary', summary => {
      if (summary.file === undefined) resolve(summary);
    });
  });
}

const summaries = [
  await runFiles(
    files.filter(name => !alone.includes(name)),
    true
  ),
  await runFiles(alone, 1)
];
const [passed, failed, skipped] = summaries.reduce(
  (sums, { counts }) => [
    sums[0] + counts.passed,
    sums[1] + counts.tests - counts.passed - counts.skipped - counts.todo,
    sums[2] + counts.skipped
  ],
  [0, 0, 0]
);
console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
process.exitCode = summaries.every(({ success }) => success) ? 0 : 1;
