/** The tests that `npm test -- --changed` adds to those that import changed files. */

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { affectedFolders } from '../../scripts/test/affected.mjs';
import { root } from '../setup/repository.ts';

test.each([
  ['nothing', [], []],
  ['a page of text', ['CHANGELOG.md'], []],
  ['a test, which is run by itself', ['test/src/strides.test.ts'], []],
  ['what a test reads', ['test/src/python/producers.py'], ['src']],
  ['the library', ['src/array.ts'], ['kernel', 'notebooks', 'python']],
  ['the page', ['labextension/src/index.ts'], ['labextension', 'notebooks']],
  ['native code', ['native/core/stream.cc'], ['kernel', 'native', 'notebooks', 'python', 'src']],
  ['two places', ['docs/guide.md', 'test/python/fake.py'], ['notebooks', 'python', 'scripts']]
])('%s', (_, changed, folders) => {
  expect(affectedFolders(changed)).toEqual(folders);
  for (const folder of folders) expect(existsSync(join(root, 'test', folder))).toBe(true);
});

test.each([
  'package.json',
  'package-lock.json',
  'jest.config.mjs',
  'tsconfig.json',
  'python/requirements.lock',
  'unknown/file'
])('%s can break every test', file => {
  expect(affectedFolders(['CHANGELOG.md', file])).toBeUndefined();
});
