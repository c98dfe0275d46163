/** The Python that tests run in this process, with its libraries: `.venv-exchange` if it exists, else `.venv` with NumPy and PyArrow. */

import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

import { examinePython } from '../../../src/python/interpreter/discover.ts';

const top = join(import.meta.dirname, '../../..');
const exchange = join(top, '.venv-exchange/bin/python');

/** Its path. */
export const pythonOfTests =
  process.env['STRIDELAB_PYTHON'] ?? (existsSync(exchange) ? exchange : join(top, '.venv/bin/python'));

/** The text of a Python program of this folder, which can import its other files. */
export function sourceOf(file: string): string {
  const here = import.meta.dirname;
  return `import sys\nsys.path.append(${JSON.stringify(here)})\n${readFileSync(join(here, file), 'utf8')}`;
}

/** The reason why tests cannot run Python in this process; null if they can. */
export const obstacle = examinePython(pythonOfTests).obstacle;

const KNOWN = [
  'numpy',
  'pyarrow',
  'torch',
  'jax',
  'numba',
  'numba_cuda_mlir',
  'tvm_ffi',
  'ml_dtypes',
  'scipy',
  'distributed',
  'warp',
  'mpi4py'
] as const;
export type Library = (typeof KNOWN)[number];

const PROBE = `import importlib.util as u, json; print(json.dumps([n for n in ${JSON.stringify(KNOWN)} if u.find_spec(n)]))`;

/** Libraries that the Python of the tests can import. */
export const libraries: ReadonlySet<string> = new Set(
  obstacle === null
    ? (JSON.parse(execFileSync(pythonOfTests, ['-I', '-c', PROBE], { encoding: 'utf8' })) as string[])
    : []
);

/** `describe`, skipped with a reason in the title if Python or one of the libraries is not installed. */
export function describeWith(needed: readonly Library[], title: string, body: () => void): void {
  const missing = needed.filter(name => !libraries.has(name));
  if (obstacle !== null) describe.skip(`${title} (skipped: ${obstacle})`, body);
  else if (missing.length > 0) describe.skip(`${title} (skipped: no ${missing.join(', ')} here)`, body);
  else describe(title, body);
}
