/** Runs test files under NVIDIA's compute-sanitizer and reads its reports. */

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import type { Problem } from './process.ts';

export const TOOLS = ['memcheck', 'racecheck', 'initcheck', 'synccheck'];

/** The command before Node's. Each process of a file writes a report of its own into `logs`. */
export function sanitizerCommand(tool: string, name: string, logs: string): string[] {
  return [
    'compute-sanitizer',
    ...['--tool', tool],
    // Notebooks, other programs of this library and Python run in child processes.
    ...['--target-processes', 'all'],
    ...['--require-cuda-init', 'no'],
    // Tests cause errors of the driver on purpose, such as requests for too much memory.
    ...['--report-api-errors', 'no'],
    ...['--print-limit', '20'],
    ...['--log-file', join(logs, `${name}.%p.${tool}`)]
  ];
}

/** A problem for each process with errors, and one if no process was checked. */
export function sanitizerProblems(tool: string, name: string, logs: string): Problem[] {
  const process = new RegExp(`^${RegExp.escape(name)}\\.\\d+\\.${tool}$`);
  const reports = readdirSync(logs).filter(each => process.test(each));
  if (reports.length === 0) return [{ test: tool, text: 'no process was checked' }];
  return reports.flatMap(report => {
    const text = readFileSync(join(logs, report), 'utf8');
    // A process that is killed writes no summary.
    const [, errors = '0'] = /SUMMARY: (\d+) /.exec(text) ?? [];
    if (errors === '0') return [];
    return [{ test: `${errors} errors of ${tool}, ${report}`, text }];
  });
}
