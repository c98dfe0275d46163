/** Arrays of a cluster on a GPU: runs the Python tests of `test/gpu/cluster`. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { without } from './python-sharing-peer.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('arrays that a worker owns', { skip: without('numpy', 'cupy') }, () => {
  const ran = spawnSync(
    process.env['STRIDELAB_PYTHON'] ?? 'python3',
    ['-B', '-m', 'unittest', 'discover', '-v', '-s', 'test/gpu/cluster'],
    { cwd: root, encoding: 'utf8', env: { ...process.env, PYTHONPATH: `${root}python` } }
  );
  assert.equal(ran.status, 0, ran.stderr);
});
