/** Runs one test file in a process group of its own, which ends with it. */

import { spawn } from 'node:child_process';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

import type { Line } from './events.ts';

export interface FileRun {
  /** Name of the file, with its part. */
  readonly name: string;
  readonly seconds: number;
  readonly passed: number;
  readonly failures: readonly Problem[];
  readonly skips: readonly Problem[];
  /** What the processes of the file printed. */
  readonly output: string;
}

/** A test, with the text of its failure or the reason why it was skipped. */
export interface Problem {
  readonly test: string;
  readonly text: string;
}

/** The exit status, or what else ended a process. */
type End = number | string;

export interface Command {
  readonly name: string;
  readonly file: string;
  /** A program with arguments that runs Node, like a sanitizer; empty for none. */
  readonly under: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** After so many seconds it is killed. */
  readonly timeout: number;
  /** Folder of the logs `NAME.log` (output) and `NAME.jsonl` (results). */
  readonly logs: string;
}

const reporter = fileURLToPath(new URL('events.ts', import.meta.url));
/** Process groups that run. */
const groups = new Set<number>();

function kill(group: number): void {
  try {
    process.kill(-group, 'SIGKILL');
  } catch {
    // No process of the group is left.
  }
}

/** Kills the processes of all files that run. */
export function killRunning(): void {
  groups.forEach(kill);
}

export async function runFile(command: Command): Promise<FileRun> {
  const { name, logs, timeout } = command;
  const [log, lines] = [join(logs, `${name}.log`), join(logs, `${name}.jsonl`)];
  const began = performance.now();
  const end = await runProcess(command, log, lines);
  const seconds = (performance.now() - began) / 1000;

  const results = readLines(lines);
  const failures: Problem[] = results.filter(result => result.kind === 'failed');
  const problem = problemOf(end, results, timeout);
  if (problem !== undefined) failures.push({ test: '(the file)', text: problem });
  return {
    name,
    seconds,
    passed: results.filter(({ kind }) => kind === 'passed').length,
    failures,
    skips: results.filter(result => result.kind === 'skipped'),
    output: readFileSync(log, 'utf8')
  };
}

/** What is wrong with the end of a file, beside its failed tests. */
function problemOf(end: End, results: readonly Line[], timeout: number): string | undefined {
  const last = results.findLast(result => result.kind !== 'done');
  const at = last === undefined ? 'before its first result' : `after the result of "${last.test}"`;
  if (end === 'timeout') return `did not end within ${timeout} s: killed ${at}`;
  if (typeof end === 'string') return `${end}, ${at}`;
  if (results.at(-1)?.kind !== 'done') return `exited with ${end} before the end of its tests, ${at}`;
  return end === 0 || results.some(({ kind }) => kind === 'failed') ? undefined : `exited with ${end}`;
}

/** Runs the file; `timeout` is the end of one that was killed. */
async function runProcess(
  { file, under, environment, timeout }: Command,
  log: string,
  lines: string
): Promise<End> {
  const output = openSync(log, 'w');
  const args = [
    ...['--test-reporter=spec', '--test-reporter-destination=stdout'],
    ...[`--test-reporter=${reporter}`, `--test-reporter-destination=${lines}`, file]
  ];
  const [program, ...rest] = [...under, process.execPath, ...args] as [string, ...string[]];
  const child = spawn(program, rest, {
    detached: true, // a group of its own
    stdio: ['ignore', output, output],
    env: { ...process.env, ...environment }
  });
  closeSync(output);
  const { pid } = child;
  if (pid !== undefined) groups.add(pid);
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    if (pid !== undefined) kill(pid);
  }, timeout * 1000);
  const end = await new Promise<End>(resolve => {
    child.once('error', error => resolve(error.message));
    child.once('exit', (status, signal) => resolve(status ?? `ended by ${signal}`));
  });
  clearTimeout(timer);
  if (pid !== undefined) {
    kill(pid);
    groups.delete(pid);
  }
  return late ? 'timeout' : end;
}

function readLines(path: string): Line[] {
  if (!existsSync(path)) return [];
  const complete = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return complete.map(line => JSON.parse(line) as Line);
}
