/** Folders of this package. The kernel's programs are bundled, so that a module cannot tell them from its own place. */

import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

export const packageFolder = dirname(createRequire(import.meta.url).resolve('#package'));

/** The compiled modules. */
export const compiledFolder = join(packageFolder, 'dist');
