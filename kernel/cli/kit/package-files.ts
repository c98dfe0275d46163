/** Paths in this copy of the package that the commands register and start. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const manifest = createRequire(import.meta.url).resolve('stridelab/package.json');
const root = dirname(manifest);

export const packageFiles = {
  root,
  kernelMain: join(root, 'dist', 'kernel', 'front', 'main.js'),
  labextension: join(root, 'dist', 'labextension'),
  logos: join(root, 'kernel', 'kernelspec'),
  /** The environment of `npm start`, in a checkout. */
  venv: join(root, '.venv'),
  venvPython: join(root, '.venv', 'bin', 'python')
};

/** How users run this command: a checkout puts none on PATH. */
export const commandName = existsSync(join(root, 'scripts', 'start.mjs'))
  ? 'npm run stridelab --'
  : 'stridelab';

export function packageVersion(): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
