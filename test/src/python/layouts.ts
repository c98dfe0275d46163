/** Python installations with the layouts of various packagers, imitated with links to a real one. */

import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';

import type { PythonInstallation } from '../../../src/python/interpreter/discover.ts';

export interface Layout {
  /** The installation's build variables, in place of the true values. */
  readonly variables: Readonly<Record<string, string | number>>;
  /** Whether libpython is in its `lib`. */
  readonly shared: boolean;
}

/** Makes a working Python in `folder`, based on `real`; returns the path of its interpreter. */
export function imitate(folder: string, real: PythonInstallation, { variables, shared }: Layout): string {
  const version = real.version.split('.').slice(0, 2).join('.');
  const modules = `lib/python${version}`;
  mkdirSync(join(folder, modules), { recursive: true });
  mkdirSync(join(folder, 'bin'));
  // A copy, because the interpreter looks for its modules beside a link's target.
  const executable = join(folder, 'bin', `python${version}`);
  cpSync(join(real.basePrefix, 'bin', `python${version}`), executable, { dereference: true });
  const isData = (name: string): boolean => name.startsWith('_sysconfigdata');
  for (const name of readdirSync(join(real.basePrefix, modules))) {
    if (!isData(name) && name !== '__pycache__' && name !== 'site-packages')
      symlinkSync(join(real.basePrefix, modules, name), join(folder, modules, name));
  }
  for (const name of readdirSync(join(real.basePrefix, modules)).filter(isData)) {
    const text = readFileSync(join(real.basePrefix, modules, name), 'utf8');
    writeFileSync(
      join(folder, modules, name),
      `${text}\nbuild_time_vars.update(${JSON.stringify(variables)})\n`
    );
  }
  const library = real.library as string;
  if (shared) symlinkSync(library, join(folder, 'lib', basename(library)));
  return executable;
}

/** An executable that responds like an interpreter that is not installed. */
export function pretend(file: string, answer: Readonly<Record<string, unknown>>): string {
  writeFileSync(file, `#!/bin/sh\ncat <<'END'\n${JSON.stringify(answer)}\nEND\n`, { mode: 0o755 });
  return file;
}

/** A virtual environment of `executable`. */
export function makeEnvironment(folder: string, executable: string, ...options: string[]): string {
  execFileSync(executable, ['-m', 'venv', '--without-pip', ...options, folder]);
  return join(folder, 'bin/python');
}
