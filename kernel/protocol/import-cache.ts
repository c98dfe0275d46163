/** Where remote modules are kept. */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Returns the folder of all remote modules: `STRIDELAB_IMPORTS_DIR`, or one in the user's cache folder. */
export function importCache({ STRIDELAB_IMPORTS_DIR, XDG_CACHE_HOME } = process.env): string {
  return resolve(
    STRIDELAB_IMPORTS_DIR || join(XDG_CACHE_HOME || join(homedir(), '.cache'), 'stridelab', 'imports')
  );
}
