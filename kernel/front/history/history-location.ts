/** Where the history of all sessions lies. */

import { homedir } from 'node:os';
import { join } from 'node:path';

/** Value of the variable that keeps the history in memory. */
const OFF = 'off';

/**
 * The history's file: `STRIDELAB_HISTORY` where it is set, else in Jupyter's data folder, as `jupyter --data-dir` names it.
 * Undefined where the variable says `off`.
 */
export function historyFile(
  environment: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform
): string | undefined {
  const chosen = environment['STRIDELAB_HISTORY'];
  if (chosen === OFF) return undefined;
  return chosen ? chosen : join(jupyterData(environment, platform), 'stridelab', 'history.sqlite');
}

function jupyterData(environment: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  const { JUPYTER_DATA_DIR, XDG_DATA_HOME, APPDATA } = environment;
  if (JUPYTER_DATA_DIR) return JUPYTER_DATA_DIR;
  if (platform === 'darwin') return join(homedir(), 'Library', 'Jupyter');
  if (platform === 'win32' && APPDATA) return join(APPDATA, 'jupyter');
  return join(XDG_DATA_HOME || join(homedir(), '.local', 'share'), 'jupyter');
}
