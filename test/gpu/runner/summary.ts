/** What a run of the GPU tests prints. */

import type { FileRun, Problem } from './process.ts';

const SLOWEST = 8;
/** Of the text of a failure; its file's output has all. */
const LINES = 12;

const seconds = (value: number): string => `${value.toFixed(1).padStart(6)} s`;
const indented = (text: string): string => {
  const lines = text.trim().split('\n');
  return [...lines.slice(0, LINES), ...(lines.length > LINES ? ['...'] : [])].join('\n    ');
};

/** One line for a file, after the output of one that failed. */
export function fileText(run: FileRun): string {
  const { name, passed, failures, skips } = run;
  const counts = [
    `${passed} passed`,
    ...(failures.length > 0 ? [`${failures.length} failed`] : []),
    ...(skips.length > 0 ? [`${skips.length} skipped`] : [])
  ];
  const line = `${failures.length > 0 ? 'FAILED' : 'ok    '} ${seconds(run.seconds)}  ${name}: ${counts.join(', ')}`;
  return failures.length > 0 ? `\n---- ${name} ----\n${run.output.trimEnd()}\n${line}\n` : line;
}

/** The slowest files, why tests were skipped, the failures, and a last line that counts. */
export function summaryText(runs: readonly FileRun[], elapsed: number, where: string): string {
  const sum = (count: (run: FileRun) => number): number => runs.reduce((total, run) => total + count(run), 0);
  const slowest = [...runs].sort((a, b) => b.seconds - a.seconds).slice(0, SLOWEST);
  const reasons = Map.groupBy(
    named(runs, ({ skips }) => skips),
    ({ text }) => text
  );
  const failures = named(runs, ({ failures: own }) => own);
  return [
    '',
    'Slowest files:',
    ...slowest.map(run => `  ${seconds(run.seconds)}  ${run.name}`),
    ...(reasons.size > 0 ? ['Skipped:'] : []),
    ...[...reasons].map(
      ([reason, skips]) =>
        `  ${skips.length} because ${indented(reason)} (${[...new Set(skips.map(({ name }) => name))].join(', ')})`
    ),
    ...(failures.length > 0 ? ['Failed:'] : []),
    ...failures.map(({ name, test, text }) => `  ${name}: ${test}\n    ${indented(text)}`),
    `${sum(run => run.passed)} passed, ${failures.length} failed, ${sum(run => run.skips.length)} skipped, ` +
      `in ${runs.length} processes and ${Math.round(elapsed)} s, ${where}`
  ].join('\n');
}

function named(
  runs: readonly FileRun[],
  problems: (run: FileRun) => readonly Problem[]
): (Problem & { readonly name: string })[] {
  return runs.flatMap(run => problems(run).map(problem => ({ ...problem, name: run.name })));
}
