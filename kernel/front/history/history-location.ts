/** Location of the history of all sessions. */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Returns the history file: `STRIDELAB_HISTORY` if set, else in Jupyter's data folder. Undefined if the variable is `off`. */
export function historyFile(environment: NodeJS.ProcessEnv = process.env): string | undefined {
  const chosen = environment['STRIDELAB_HISTORY'];
  if (chosen === 'off') return undefined;
  return chosen || join(jupyterDataFolder(environment), 'stridelab', 'history.sqlite');
}

/** Returns Jupyter's data folder of the current user (`jupyter --data-dir`). */
export function jupyterDataFolder({ JUPYTER_DATA_DIR, XDG_DATA_HOME }: NodeJS.ProcessEnv): string {
  return resolve(JUPYTER_DATA_DIR || join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'jupyter'));
}
