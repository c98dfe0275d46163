/** Arrays of a cluster on a GPU: runs the Python tests of `test/gpu/cluster`, and reports each. */

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { delimiter } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { without } from './python-sharing-peer.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const PROGRAM = `
import json, unittest
suite = unittest.defaultTestLoader.discover("test/gpu/cluster")
def names(part):
    return [part.id()] if isinstance(part, unittest.TestCase) else [name for each in part for name in names(each)]
found = {name: {} for name in names(suite)}
result = unittest.TextTestRunner(verbosity=2).run(suite)
found.update({test.id(): {"skipped": reason} for test, reason in result.skipped})
found.update({test.id(): {"failed": text} for test, text in result.failures + result.errors})
print(json.dumps(found))`;

interface Outcome {
  readonly skipped?: string;
  readonly failed?: string;
}

test('arrays that a worker owns', { skip: without('numpy', 'cupy') }, async t => {
  const packages = [`${root}python`, process.env['PYTHONPATH'] ?? []].flat().join(delimiter);
  const { status, stdout, stderr } = spawnSync(
    process.env['STRIDELAB_PYTHON'] ?? 'python3',
    ['-B', '-c', PROGRAM],
    { cwd: root, encoding: 'utf8', env: { ...process.env, PYTHONPATH: packages } }
  );
  assert.equal(status, 0, stderr);
  const outcomes = JSON.parse(stdout.trim().split('\n').at(-1) ?? '') as Record<string, Outcome>;
  assert.ok(Object.keys(outcomes).length > 0, 'no Python test was found');
  for (const [name, { skipped, failed }] of Object.entries(outcomes))
    await t.test(name, one => {
      if (skipped !== undefined) one.skip(skipped);
      assert.equal(failed, undefined);
    });
});
