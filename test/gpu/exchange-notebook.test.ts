/** The notebook about exchange, run by the compiled kernel on the GPU: CuPy's arrays, Numba's kernel. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { spawnSync } from 'node:child_process';

import { device } from './device.ts';
import { KernelSession } from './kernel-session.ts';

interface Notebook {
  readonly cells: readonly { readonly cell_type: string; readonly source: string | readonly string[] }[];
}

const notebook = JSON.parse(
  readFileSync(new URL('../../notebooks/02-exchange.ipynb', import.meta.url), 'utf8')
) as Notebook;
const sources = notebook.cells
  .filter(cell => cell.cell_type === 'code')
  .map(cell => [cell.source].flat().join(''));

const PROBE = 'import importlib.util as u; print(all(u.find_spec(n) for n in ("cupy", "numba")))';
const { stdout } = spawnSync(process.env['STRIDELAB_PYTHON'] ?? 'python3', ['-c', PROBE], {
  encoding: 'utf8'
});
const missing = device.simulated ? 'no GPU' : stdout?.trim() === 'True' ? false : 'no CuPy or no Numba here';

describe('the notebook of the exchange on a GPU', { skip: missing }, () => {
  const kernel = new KernelSession();
  after(() => kernel.close());

  for (const [i, source] of sources.entries())
    test(`cell ${i + 1}: ${source.split('\n')[0]}`, async t => {
      const { text, error } = await kernel.run(source);
      t.diagnostic(text.trimEnd());
      assert.equal(error, undefined);
    });

  test('the arrays were CuPy’s, and what the kernel wrote is read', async () => {
    const { text } = await kernel.run('console.log(arrays.__name__, JSON.stringify(read.toNested()));');
    assert.equal(text.trim(), 'cupy [2,2,2,2,2,4,4,4,4,4]');
  });
});
