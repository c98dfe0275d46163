/** Explains why an interpreter cannot be examined, and what to do. */

import { spawnSync, type SpawnSyncReturns } from 'node:child_process';
import { existsSync, lstatSync, readlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';

type Asked = SpawnSyncReturns<string>;

export function refusalOf(executable: string, asked: Asked, least: string): string {
  return `${executable} ${missing(executable) ?? tooOld(executable, least) ?? withoutModules(executable, asked) ?? failureOf(asked)}`;
}

function missing(executable: string): string | undefined {
  if (existsSync(executable)) return undefined;
  const link = lstatSync(executable, { throwIfNoEntry: false })?.isSymbolicLink() === true;
  if (link)
    return `is a link to ${readlinkSync(executable)}, which does not exist: the Python of this environment was removed or moved; create the environment again`;
  const environment = dirname(dirname(executable));
  return existsSync(join(environment, 'pyvenv.cfg'))
    ? `does not exist, although ${environment} is a virtual environment: create it again (python3 -m venv --clear ${environment})`
    : 'does not exist: create the environment (python3 -m venv), or name another interpreter';
}

/** Checks the version, because Python 2 does not support the options of the examination. */
function tooOld(executable: string, least: string): string | undefined {
  const { stdout, status } = spawnSync(
    executable,
    ['-E', '-c', 'import sys; print(sys.version.split()[0])'],
    { encoding: 'utf8', timeout: 10_000, stdio: ['ignore', 'pipe', 'ignore'] }
  );
  const version = stdout?.trim() ?? '';
  return status === 0 && /^[12]\.\d/.test(version) ? `(Python ${version}) is older than ${least}` : undefined;
}

function withoutModules(executable: string, { stderr }: Asked): string | undefined {
  if (stderr?.includes("No module named 'encodings'") !== true) return undefined;
  const settings = join(dirname(dirname(executable)), 'pyvenv.cfg');
  const where = existsSync(settings) ? ` that ${settings} names as its home` : '';
  return `does not find its modules in the installation${where}, which was removed or moved: create the environment again, or install this Python again`;
}

function failureOf({ error, status, signal, stderr }: Asked): string {
  if ((error as NodeJS.ErrnoException | undefined)?.code === 'EACCES')
    return 'cannot be examined: it is not executable';
  const last = stderr?.trim().split('\n').at(-1) ?? '';
  const how = error?.message ?? (last || `it ended with ${signal ?? `exit code ${status}`}`);
  return `cannot be examined: ${how}`;
}
