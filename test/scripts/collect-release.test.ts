/** What `npm run release` writes, once the packages are made and tested. */

import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { collectRelease } from '../../scripts/release/collect.mjs';
import { temporaryFolder } from '../setup/temporary-folder.ts';

test('the files of all package folders, their checksums and the notes, and nothing of an earlier release', () => {
  const folder = temporaryFolder();
  const [packages, target] = [join(folder, 'packages'), join(folder, 'release')];
  for (const file of [
    'npm/one-1.0.0.tgz',
    'python/one-1.0.0.whl',
    'python/one-1.0.0.tar.gz',
    'python/log.txt'
  ]) {
    mkdirSync(join(packages, file, '..'), { recursive: true });
    writeFileSync(join(packages, file), `contents of ${file}`);
  }
  mkdirSync(target);
  writeFileSync(join(target, 'one-0.9.0.tgz'), 'earlier');
  const names = ['one-1.0.0.tgz', 'one-1.0.0.tar.gz', 'one-1.0.0.whl'];
  const files = collectRelease(packages, target, 'What is new\n');
  expect(files.toSorted()).toEqual(names.map(name => join(target, name)).toSorted());
  expect(files.every(file => existsSync(file))).toBe(true);
  expect(readdirSync(target).toSorted()).toEqual([...names, 'NOTES.md', 'SHA256SUMS'].toSorted());
  expect(readFileSync(join(target, 'NOTES.md'), 'utf8')).toBe('What is new\n');
  const checked = execFileSync('sha256sum', ['-c', 'SHA256SUMS'], { cwd: target, encoding: 'utf8' });
  expect(checked.match(/: OK$/gm)).toHaveLength(names.length);
});
