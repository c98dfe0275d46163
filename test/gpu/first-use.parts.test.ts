/** Importing another library's GPU array as the program's first use of the library: each protocol in a fresh process. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';

import { test } from './part.ts';

const simulated = process.env['STRIDELAB_TEST_DEVICE']?.startsWith('sim') === true;
/** The output of a program if the library is not installed. */
const ABSENT = 'absent: ';

const MAKE: Readonly<Record<string, string>> = {
  torch: 'import torch\nx = torch.arange(4, dtype=torch.float32, device="cuda")',
  cupy: 'import cupy\nx = cupy.arange(4, dtype="float32")',
  'numba.cuda':
    'import numpy as np\nnp.row_stack = np.vstack\nfrom numba import cuda\nx = cuda.to_device(np.arange(4, dtype="float32"))',
  'numba_cuda_mlir.cuda':
    'import numpy as np\nfrom numba_cuda_mlir import cuda\nx = cuda.to_device(np.arange(4, dtype="float32"))',
  jax: 'import jax.numpy as jnp\nx = jnp.arange(4, dtype="float32")'
};

const CASES: readonly (readonly [library: string, take: string])[] = [
  ...Object.keys(MAKE).flatMap(library => [
    [library, 'python.asArray(x)'] as const,
    [library, "python.asArray(x, { via: 'cuda-array-interface' })"] as const,
    [library, 'asCudaArray(x)'] as const,
    [library, 'fromCudaArrayInterface(python.toJS(x.__cuda_array_interface__))'] as const
  ]),
  ['torch', "python.asArray(x, { via: 'exchange-table' })"],
  ['torch', "python.asArray(x, { via: 'dlpack' })"],
  ['cupy', "python.asArray(x, { via: 'dlpack' })"],
  ['jax', "python.asArray(x, { via: 'dlpack' })"]
];

for (const [library, take] of CASES) {
  test(`${library}: ${take}`, t => {
    if (simulated) return t.skip('it is the simulated device');
    const program = `
      import { asCudaArray, fromCudaArrayInterface, python } from ${JSON.stringify(import.meta.resolve('stridelab'))};
      try {
        python.run(${JSON.stringify(MAKE[library])});
      } catch (error) {
        console.log('${ABSENT}' + error.message);
        process.exit();
      }
      const x = python.evaluate('x');
      const array = ${take};
      console.log(array.device.label, ...array.toNested());`;
    const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
      encoding: 'utf8',
      env: { ...process.env, XLA_PYTHON_CLIENT_PREALLOCATE: 'false' }
    });
    if (stdout.startsWith(ABSENT)) return t.skip(`${library} cannot be imported: ${stdout.split('\n')[0]}`);
    assert.equal(stdout.trim(), 'cuda:0 0 1 2 3', stderr);
  });
}
