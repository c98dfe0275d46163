/** The Python used by kernel tests. */

import { join } from 'node:path';
import { examinePython } from '../../../src/python/interpreter/discover.ts';

/** The tests' environment, unless another one is given. */
export const PYTHON =
  process.env['STRIDELAB_PYTHON'] ?? join(import.meta.dirname, '../../../.venv/bin/python');

const { obstacle } = examinePython(PYTHON);
/** Whether the interpreter can run inside a process. */
export const pythonRuns = obstacle === null;

/** `describe`, skipped if the interpreter cannot run inside a process. */
export const withPython: (title: string, tests: () => void) => void =
  obstacle === null
    ? describe
    : (title, tests) => describe.skip(`${title} (this Python cannot: ${obstacle})`, tests);
