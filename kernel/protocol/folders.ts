/** Creates folders of caches. */

import { existsSync, mkdirSync } from 'node:fs';
import { dirname } from 'node:path';

/** Creates a folder and those above it. Node's recursive `mkdir` never returns in folders such as `/proc`, which allow none. */
export function makeFolder(folder: string, mode = 0o777): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, { mode });
  } catch (error) {
    // Another kernel may have made it now.
    if (!existsSync(folder)) throw error;
  }
}
