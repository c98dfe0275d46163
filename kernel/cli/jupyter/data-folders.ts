/** Jupyter's data folders, as jupyter_core finds them (`jupyter --paths`): kernels and extensions lie below them. */

import { execFileSync } from 'node:child_process';
import { statSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { jupyterDataFolder } from '../../front/history/history-location.ts';
import { CommandFailure } from '../kit/failure.ts';

const PYTHON_TIMEOUT_MS = 20_000;

/** Which data folder a command works on; at most one is given. */
export interface Location {
  readonly user?: boolean;
  readonly prefix?: string;
  readonly sysPrefix?: boolean;
}

function variable(name: string): string | undefined {
  const value = process.env[name];
  return value === undefined || value === '' ? undefined : value;
}

/** Of an environment (jupyter_core, `ENV_JUPYTER_PATH`). */
export function prefixDataFolder(prefix: string): string {
  return join(prefix, 'share', 'jupyter');
}

/** The Python whose environment is meant: STRIDELAB_PYTHON, which the companion package sets to its own, or the one on PATH. */
export function environmentPython(): string {
  return variable('STRIDELAB_PYTHON') ?? 'python3';
}

/** `sys.prefix` of the Python environment in use. @throws CommandFailure where there is none */
export function pythonPrefix(): string {
  const active = variable('VIRTUAL_ENV') ?? variable('CONDA_PREFIX');
  if (variable('STRIDELAB_PYTHON') === undefined && active !== undefined) return resolve(active);
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

/** @throws CommandFailure for a prefix that is no folder */
export function dataFolder({ prefix, sysPrefix }: Location): string {
  if (prefix !== undefined) {
    const folder = resolve(prefix);
    if (statSync(folder, { throwIfNoEntry: false })?.isDirectory() === true) return prefixDataFolder(folder);
    throw new CommandFailure(`The prefix ${folder} is not a folder: create it first, or correct its name.`);
  }
  return sysPrefix === true ? prefixDataFolder(pythonPrefix()) : jupyterDataFolder(process.env);
}

/** Where Jupyter looks, in its order, as far as that is known without asking it. */
export function searchedDataFolders(): string[] {
  const folders = (process.env['JUPYTER_PATH'] ?? '').split(delimiter).filter(folder => folder !== '');
  const active = variable('VIRTUAL_ENV') ?? variable('CONDA_PREFIX');
  if (active !== undefined) folders.push(prefixDataFolder(active));
  folders.push(jupyterDataFolder(process.env), '/usr/local/share/jupyter', '/usr/share/jupyter');
  return [...new Set(folders.map(folder => resolve(folder)))];
}
