/** Where remote modules are kept. */

import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Returns the folder of all remote modules: `STRIDELAB_IMPORTS_DIR`, or one in the user's cache folder. */
export function importCache(): string {
  const chosen = process.env['STRIDELAB_IMPORTS_DIR'];
  const caches = process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache');
  return resolve(chosen || join(caches, 'stridelab', 'imports'));
}
