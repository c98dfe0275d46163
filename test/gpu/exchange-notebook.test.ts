/** The notebook about exchange, run by the compiled kernel on the GPU: CuPy's arrays, Numba's kernel. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { spawnSync } from 'node:child_process';

import { device } from './device.ts';
import { KernelSession, testCells } from './kernel-session.ts';

const PROBE = 'import importlib.util as u; print(all(u.find_spec(n) for n in ("cupy", "numba")))';
const { stdout } = spawnSync(process.env['STRIDELAB_PYTHON'] ?? 'python3', ['-c', PROBE], {
  encoding: 'utf8'
});
const missing = device.simulated ? 'no GPU' : stdout?.trim() === 'True' ? false : 'no CuPy or no Numba here';

describe('the notebook of the exchange on a GPU', { skip: missing }, () => {
  const kernel = new KernelSession();
  after(() => kernel.close());

  testCells(kernel, '02-exchange.ipynb');

  test('the arrays are CuPy’s, and the kernel’s results are read', async () => {
    const { text } = await kernel.run('console.log(arrays.__name__, JSON.stringify(read.toNested()));');
    assert.equal(text.trim(), 'cupy [2,2,2,2,2,4,4,4,4,4]');
  });
});
