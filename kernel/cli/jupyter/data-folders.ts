/** Jupyter's data folders, as jupyter_core finds them (`jupyter --paths`): they contain kernels and extensions. */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { jupyterDataFolder } from '../../front/history/history-location.ts';
import { CommandFailure } from '../kit/failure.ts';

const PYTHON_TIMEOUT_MS = 20_000;

/** The data folder that a command works on; at most one option is given. */
export interface Location {
  readonly user?: boolean;
  readonly prefix?: string;
  readonly sysPrefix?: boolean;
}

/** Returns the data folder of an environment (jupyter_core, `ENV_JUPYTER_PATH`). */
export function prefixDataFolder(prefix: string): string {
  return join(prefix, 'share', 'jupyter');
}

/** Returns the Python of the environment: STRIDELAB_PYTHON, which the companion package sets to its own, or the one on PATH. */
export function environmentPython(): string {
  return process.env['STRIDELAB_PYTHON'] || 'python3';
}

/** Returns `sys.prefix` of the current Python environment. @throws CommandFailure if there is none */
export function pythonPrefix(): string {
  const active = process.env['VIRTUAL_ENV'] || process.env['CONDA_PREFIX'];
  if (!process.env['STRIDELAB_PYTHON'] && active) return resolve(active);
  const python = environmentPython();
  try {
    const options = { encoding: 'utf8', timeout: PYTHON_TIMEOUT_MS } as const;
    return execFileSync(python, ['-c', 'import sys; print(sys.prefix)'], options).trim();
  } catch (cause) {
    throw new CommandFailure(
      `There is no Python environment for --sys-prefix (${python} does not run): give --user, or --prefix PREFIX.`,
      { cause }
    );
  }
}

/** Returns the data folder of a location. @throws CommandFailure if the prefix is not a folder */
export function dataFolder({ prefix, sysPrefix }: Location): string {
  if (prefix !== undefined) {
    const folder = resolve(prefix);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return prefixDataFolder(folder);
    throw new CommandFailure(`The prefix ${folder} is not a folder: create it first, or correct the path.`);
  }
  return sysPrefix === true ? prefixDataFolder(pythonPrefix()) : jupyterDataFolder(process.env);
}

/** Returns the folders in which Jupyter looks, in its order, as far as known without running it. */
export function searchedDataFolders(): string[] {
  const folders = (process.env['JUPYTER_PATH'] ?? '').split(delimiter).filter(folder => folder !== '');
  const active = process.env['VIRTUAL_ENV'] || process.env['CONDA_PREFIX'];
  if (active) folders.push(prefixDataFolder(active));
  folders.push(jupyterDataFolder(process.env), '/usr/local/share/jupyter', '/usr/share/jupyter');
  return [...new Set(folders.map(folder => resolve(folder)))];
}
