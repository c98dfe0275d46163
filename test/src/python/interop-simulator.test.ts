/** Exchange with Numba's simulator, which makes kernels Python and device arrays NumPy's: in a separate process. */

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

import { describeWith, pythonOfTests } from './environment.ts';

const library = join(import.meta.dirname, '../../../dist/src/index.js');

/** The value that the program passes to `tell`. */
function outcome(program: string): unknown {
  const source = `
    import { arange, python, zeros } from ${JSON.stringify(library)};
    python.run(\`
import os
os.environ["NUMBA_ENABLE_CUDASIM"] = "1"
import numpy
from numba import cuda

@cuda.jit
def add(x, y, out):
    i = cuda.grid(1)
    if i < x.shape[0]:
        out[i] = x[i] + y[i]
\`);
    const cuda = python.evaluate('cuda'), numpy = python.import('numpy');
    const add = (...of) => python.item(python.evaluate('add'), 1, 32)(...of);
    const tell = value => console.log(JSON.stringify(value));
    ${program}`;
  const text = execFileSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    env: { ...process.env, STRIDELAB_PYTHON: pythonOfTests },
    timeout: 60_000
  });
  return JSON.parse(text) as unknown;
}

describeWith(['numpy', 'numba'], 'Numba’s simulator', () => {
  test('its arrays have the host’s protocols, and are imported without a copy', () => {
    expect(
      outcome(`
      const theirs = cuda.to_device(numpy.arange(4, python.kw({ dtype: 'float32' })));
      const ours = python.asArray(theirs);
      ours.fill(7);
      const cai = '__cuda_array_interface__' in theirs;
      tell([ours.toNested(), python.toJS(theirs.copy_to_host().tolist()), cai]);`)
    ).toEqual([[7, 7, 7, 7], [7, 7, 7, 7], false]);
  });

  test('a kernel works on our arrays through NumPy', () => {
    expect(
      outcome(`
      const x = arange(4, { dtype: 'float32' }), y = zeros(4, { dtype: 'float32' });
      add(numpy.asarray(x), numpy.asarray(x), numpy.asarray(y));
      tell(y.toNested());`)
    ).toEqual([0, 2, 4, 6]);
  });

  test('it has no as_cuda_array, and a kernel accepts only arrays of NumPy and its own', () => {
    expect(
      outcome(`
      const x = arange(4, { dtype: 'float32' });
      try {
        add(x, x, x);
        tell('taken');
      } catch (error) {
        tell(['as_cuda_array' in cuda, error.name]);
      }`)
    ).toEqual([false, 'PythonError']);
  });
});
