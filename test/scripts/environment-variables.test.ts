/** docs/environment-variables.md lists the variables that the sources read, and no others. */

import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/repository.ts';

const SOURCES = '{src,kernel,scripts,bench,native,python/stridelab,test}/**/*.{ts,tsx,mjs,cc,h,py,sh}';
/** Codes of warnings, and variables that tests set for stand-in libraries. */
const OTHERS = /^STRIDELAB_(CAI_VERSION|HAZARD|MEMORY_MANAGER|FAKE_NCCL|FAKE_NCCL_LOG)$/;

test('the page lists each environment variable', () => {
  const read = globSync(SOURCES, { cwd: root, exclude: ['native/build*/**'] }).flatMap(file => {
    const text = readFileSync(join(root, file), 'utf8');
    const quoted = text.matchAll(/['"](STRIDELAB_[A-Z_]+)['"]/g);
    const inShell = text.matchAll(/\$\{?(STRIDELAB_[A-Z_]+)/g);
    return [...quoted, ...inShell].map(([, name]) => name as string);
  });
  const page = readFileSync(join(root, 'docs', 'environment-variables.md'), 'utf8');
  const listed = [...page.matchAll(/`(STRIDELAB_[A-Z_]+)`/g)].map(([, name]) => name as string);
  expect([...new Set(listed)].sort()).toEqual([...new Set(read)].filter(name => !OTHERS.test(name)).sort());
});
