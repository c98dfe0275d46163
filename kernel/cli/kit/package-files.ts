/** Paths in this copy of the package that the commands register and start. */

import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';

const manifest = createRequire(import.meta.url).resolve('#package');
const root = dirname(manifest);

export const packageFiles = {
  root,
  kernelMain: join(root, 'dist', 'kernel', 'front', 'main.js'),
  labextension: [
    join(root, 'dist', 'labextension'),
    // The Python package is in PREFIX/lib/pythonX.Y/site-packages/stridelab/node, and has its extension where Jupyter looks.
    resolve(root, '../../../../../share/jupyter/labextensions/stridelab')
  ].find(folder => existsSync(folder)),
  logos: join(root, 'kernel', 'kernelspec'),
  /** The environment of `npm start`, in a checkout. */
  venv: join(root, '.venv'),
  venvPython: join(root, '.venv', 'bin', 'python')
};

const isCheckout = existsSync(join(root, 'scripts', 'start.mjs'));

/** How users run this command: a checkout puts none on PATH. */
export const commandName = isCheckout ? 'npm run stridelab --' : 'stridelab';

/** How users repair missing or damaged files of this copy. */
export const repair = isCheckout
  ? 'run npm ci to install the packages again, then npm run build'
  : 'install the package stridelab again, with pip or npm';

export function packageVersion(): string {
  return (JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }).version;
}
