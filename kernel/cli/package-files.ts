/** Where this copy of the package keeps what the commands register and start. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const manifest = createRequire(import.meta.url).resolve('stridelab/package.json');
const root = dirname(manifest);

export const packageFiles = {
  root,
  kernelMain: join(root, 'dist', 'kernel', 'front', 'main.js'),
  labextension: join(root, 'dist', 'labextension'),
  logos: join(root, 'kernel', 'kernelspec')
};

/** The version in package.json. */
export function packageVersion(): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
