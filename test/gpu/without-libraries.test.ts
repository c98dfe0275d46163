/** GPU features that work without NVRTC and cuBLASLt: each in a process whose variables name missing files. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';

import { device } from './device.ts';

function output(program: string, env: Readonly<Record<string, string>>): string {
  const { status, stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    env: { ...process.env, STRIDELAB_CACHE_DIR: 'off', STRIDELAB_DEVICE: device.label, ...env }
  });
  assert.equal(status, 0, stderr);
  return stdout.trim();
}

test(
  'no NVRTC: copies and fills of any strides work, and arithmetic names the package to install',
  { skip: device.simulated && 'a simulated device needs none' },
  () => {
    const program = `
    import { arange, full } from 'stridelab';
    const a = arange(6).reshape(2, 3);
    console.log(JSON.stringify([a.T.copy().toNested(), full([2], 1.5).toNested()]));
    try { a.add(1); } catch (error) { console.log(error.name, /pip install/.test(error.message)); }`;
    assert.equal(
      output(program, { STRIDELAB_LIBNVRTC: '/nowhere/libnvrtc.so' }),
      '[[[0,3],[1,4],[2,5]],[1.5,1.5]]\nDriverUnavailableError true'
    );
  }
);

test(
  'no NVRTC: a matrix and a vector are multiplied by cuBLASLt, also again',
  { skip: device.simulated && 'a simulated device needs none' },
  () => {
    const program = `
    import { full } from 'stridelab';
    const on = { dtype: 'float32' };
    const [matrix, vector] = [full([2048, 1024], 2, on), full([1024], 3, on)];
    for (let turn = 0; turn < 2; turn++) console.log(matrix.matmul(vector).item(2047));`;
    assert.equal(output(program, { STRIDELAB_LIBNVRTC: '/nowhere/libnvrtc.so' }), '6144\n6144');
  }
);

test(
  'no cuBLASLt: products are computed by our own kernel',
  { skip: device.simulated && 'a simulated device needs none' },
  () => {
    const program = `
    import { arange } from 'stridelab';
    const a = arange(6, { dtype: 'float32' }).reshape(2, 3);
    console.log(JSON.stringify(a.matmul(a.T).toNested()));`;
    assert.equal(output(program, { STRIDELAB_LIBCUBLASLT: '/nowhere/libcublasLt.so' }), '[[5,14],[14,50]]');
  }
);
