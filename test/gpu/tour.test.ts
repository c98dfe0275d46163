/** The tour's cells through the compiled kernel, on the GPU. */

import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { KernelSession, testCells } from './kernel-session.ts';

describe('the tour on a GPU', () => {
  const kernel = new KernelSession();
  after(() => kernel.close());

  testCells(kernel, '00-tour.ipynb', text => assert.doesNotMatch(text, /SIMULATED/));

  test('its array is on cuda:0', async () => {
    const { text } = await kernel.run('console.log(a.device.label, JSON.stringify(a.__dlpack_device__()));');
    assert.equal(text.trim(), 'cuda:0 [2,0]');
  });
});
