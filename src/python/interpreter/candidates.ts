/** Lists the interpreters that are examined if none is named. */

import { existsSync, readFileSync, statSync } from 'node:fs';
import { basename, delimiter, dirname, isAbsolute, join } from 'node:path';

const interpreterIn = (folder: string): string => join(folder, 'bin', 'python');

/**
 * Lists interpreters in order: STRIDELAB_PYTHON alone if set; otherwise the active environment, `.venv` in
 * the working folder or above it, the Python that runs the Jupyter server, and the search path.
 */
export function pythonCandidates(): string[] {
  const named = process.env['STRIDELAB_PYTHON'];
  if (named !== undefined && named !== '') return [named];
  // An active environment that no longer exists is listed too: the error then says why another Python runs.
  const active = [process.env['VIRTUAL_ENV'], process.env['CONDA_PREFIX']]
    .filter(folder => folder !== undefined && folder !== '')
    .map(folder => interpreterIn(folder as string));
  const folders = (process.env['PATH'] ?? '').split(delimiter).filter(folder => folder !== '');
  const onPath = ['python3', 'python']
    .flatMap(name => folders.map(folder => join(folder, name)))
    .filter(file => existsSync(file));
  return [...new Set([...active, ...projectPython(), ...jupyterPython(), ...onPath])];
}

/** Finds the interpreter of the nearest `.venv`, as editors and package managers do. Folders of other users are not trusted. */
function projectPython(): string[] {
  let folder = workingFolder();
  while (folder !== undefined) {
    const environment = join(folder, '.venv');
    const python = interpreterIn(environment);
    if (existsSync(python) && statSync(environment).uid === process.getuid?.()) return [python];
    const parent = dirname(folder);
    folder = parent === folder ? undefined : parent;
  }
  return [];
}

function workingFolder(): string | undefined {
  try {
    return process.cwd();
  } catch {
    // The folder was removed.
    return undefined;
  }
}

/** Finds the interpreter that started this kernel: Jupyter's clients pass their process id to the kernels they start. */
function jupyterPython(): string[] {
  const parent = process.env['JPY_PARENT_PID'] ?? '';
  if (!/^\d+$/.test(parent)) return [];
  try {
    const [program = ''] = readFileSync(`/proc/${parent}/cmdline`, 'utf8').split('\0');
    // Uses the path with which it was started: the resolved file would not find its environment.
    return isAbsolute(program) && /^python[\d.]*$/.test(basename(program)) ? [program] : [];
  } catch {
    // The process has exited, or this is not Linux.
    return [];
  }
}
