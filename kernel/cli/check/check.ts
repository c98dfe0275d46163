/** `stridelab check`: says what in notebooks would not run, without running them. */

import { execFileSync } from 'node:child_process';
import { join, relative, resolve } from 'node:path';
import { styleText, stripVTControlCharacters } from 'node:util';
import { findNodeRuntime } from '../kit/node-runtime.ts';
import { packageFiles } from '../kit/package-files.ts';
import { isScript } from '../run/notebook-file.ts';
import type { Answer, Finding, NotebookFindings } from './findings.ts';

export interface CheckOptions {
  readonly json?: boolean;
  readonly node?: string;
}

const PROGRAM = join(packageFiles.root, 'dist', 'kernel', 'cli', 'check', 'check-program.js');

type Checked = { readonly file: string } & Answer;

/** Checks the files. @returns exit status: 0 if nothing was found, otherwise 1 @throws CommandFailure if there is no Node */
export function checkFiles(files: readonly string[], { json = false, node }: CheckOptions): number {
  const runtime = findNodeRuntime(node);
  const checked = files.map((file): Checked => {
    const output = execFileSync(runtime.path, [PROGRAM, file], { encoding: 'utf8', maxBuffer: Infinity });
    const found = { file, ...(JSON.parse(output) as Answer) };
    // Each as soon as it is known: a folder of notebooks takes a while.
    if (!json) print(text(found));
    return found;
  });
  if (json) print(`${JSON.stringify(checked, null, 2)}\n`);
  return checked.every(each => 'findings' in each && each.findings.length === 0) ? 0 : 1;
}

function print(shown: string): void {
  process.stdout.write(process.stdout.isTTY ? shown : stripVTControlCharacters(shown));
}

function text(checked: Checked): string {
  if ('failure' in checked) return `${styleText('red', checked.failure)}\n`;
  const name = relative('', resolve(checked.file));
  const lines = [`${styleText('bold', name)}: ${summary(checked)}`];
  const places = checked.findings.map(finding => placeOf(name, finding));
  const width = Math.max(...places.map(place => place.length));
  for (const [index, { kind, message }] of checked.findings.entries())
    lines.push(`  ${places[index]!.padEnd(width)}  ${styleText('red', kind.padEnd(6))}  ${message}`);
  if (checked.fetched.length > 0) lines.push(`  fetched when imported: ${checked.fetched.join(', ')}`);
  return lines.map(line => `${line}\n`).join('');
}

function placeOf(name: string, { cell, line, column }: Finding): string {
  return isScript(name) ? `${name}:${line}:${column}` : `[${cell}]:${line}:${column}`;
}

function summary({ cells, findings }: NotebookFindings): string {
  const counted = `${cells} code ${cells === 1 ? 'cell' : 'cells'}`;
  if (findings.length === 0) return `${counted}, nothing found that would not run`;
  const affected = new Set(findings.map(({ cell }) => cell)).size;
  return `${affected} of ${counted} would not run as ${affected === 1 ? 'it is' : 'they are'}`;
}
