/** The tour's cells through the compiled kernel, on the GPU. */

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { KernelSession } from './kernel-session.ts';

interface Notebook {
  readonly cells: readonly { readonly cell_type: string; readonly source: string | readonly string[] }[];
}

const tour = JSON.parse(
  readFileSync(new URL('../../notebooks/00-tour.ipynb', import.meta.url), 'utf8')
) as Notebook;
const sources = tour.cells
  .filter(cell => cell.cell_type === 'code')
  .map(cell => [cell.source].flat().join(''));

describe('the tour on a GPU', () => {
  const kernel = new KernelSession();
  after(() => kernel.close());

  for (const [i, source] of sources.entries())
    test(`cell ${i + 1}: ${source.split('\n')[0]}`, async t => {
      const { text, error } = await kernel.run(source);
      t.diagnostic(text.trimEnd());
      assert.equal(error, undefined);
      assert.doesNotMatch(text, /SIMULATED/);
    });

  test('its array lies on cuda:0', async () => {
    const { text } = await kernel.run('console.log(a.device.label, JSON.stringify(a.__dlpack_device__()));');
    assert.equal(text.trim(), 'cuda:0 [2,0]');
  });
});
