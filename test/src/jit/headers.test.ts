/** Headers as part of the compiled source: which of them the cache key includes. */

import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { foldersOf, includedTexts } from '../../../src/compiler/headers.ts';
import { temporaryFolder } from '../../setup/temporary-folder.ts';

let folder: string;
beforeAll(() => {
  folder = temporaryFolder();
  mkdirSync(join(folder, 'one/deep'), { recursive: true });
  mkdirSync(join(folder, 'two'));
  const write = (path: string, text: string): void => writeFileSync(join(folder, path), text);
  write('one/a.h', '#include "deep/b.h"\nA');
  write('one/deep/b.h', '#include "c.h"\n#include <a.h>\nB');
  write('one/deep/c.h', 'C');
  write('one/twice.h', 'first');
  write('two/twice.h', 'second');
  write('two/pre.h', 'P');
});

const options = (): string[] => [`--include-path=${join(folder, 'one')}`, `-I${join(folder, 'two')}`];
const texts = (source: string, more: string[] = []): string[] | undefined =>
  includedTexts(source, [...options(), ...more])?.filter(text => !text.startsWith('/'));

test('folders are found in every spelling', () => {
  expect(
    foldersOf(['-I/a', '-I', '/b', '--include-path=/c', '--include-path', '/d', '-lineinfo', '-I'])
  ).toEqual(['/a', '/b', '/c', '/d']);
});

test('headers are followed, each once, also in circles', () => {
  expect(texts('  #  include <a.h>\n#include "a.h"\n')).toEqual([
    '#include "deep/b.h"\nA',
    '#include "c.h"\n#include <a.h>\nB',
    'C'
  ]);
});

test("the first folder wins, and a missing header is the compiler's own", () => {
  expect(texts('#include <twice.h>\n#include <cuda/std/complex>')).toEqual(['first']);
  expect(texts('int n; // no header')).toEqual([]);
});

test('absolute paths and headers named in options count', () => {
  expect(texts(`#include "${join(folder, 'two/twice.h')}"`)).toEqual(['second']);
  expect(texts('', ['--pre-include=pre.h'])).toEqual(['P']);
});

test('a name from a macro cannot be resolved', () => {
  expect(includedTexts('#include HEADER\n', options())).toBeNull();
});
