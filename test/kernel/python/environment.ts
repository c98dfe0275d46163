/** The Python of the tests of kernels. */

import { join } from 'node:path';
import { examinePython } from '../../../src/python/interpreter/discover.ts';

/** The environment of the tests, unless another one is named. */
export const PYTHON =
  process.env['STRIDELAB_PYTHON'] ?? join(import.meta.dirname, '../../../.venv/bin/python');

const { obstacle } = examinePython(PYTHON);
/** Whether the interpreter can run inside a process. */
export const pythonRuns = obstacle === null;

/** `describe` where the interpreter can run inside a process. */
export const withPython: (title: string, tests: () => void) => void =
  obstacle === null
    ? describe
    : (title, tests) => describe.skip(`${title} (this Python cannot: ${obstacle})`, tests);
