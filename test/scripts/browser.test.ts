import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { systemChromium } from '../../scripts/setup/browser.mjs';
import { temporaryFolder } from '../setup/temporary-folder.ts';

let folder: string;
beforeEach(() => (folder = temporaryFolder()));

function program(...parts: string[]): string {
  const file = join(folder, ...parts);
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '#!/bin/sh\n');
  chmodSync(file, 0o755);
  return file;
}

test('the first Chromium or Chrome on PATH is taken', () => {
  const chrome = program('a', 'google-chrome');
  program('b', 'chromium');
  const PATH = ['empty', 'a', 'b'].map(name => join(folder, name)).join(delimiter);
  expect(systemChromium({ PATH })).toBe(chrome);
});

test('CHROMIUM_PATH comes before PATH', () => {
  program('a', 'chromium');
  const chosen = program('mine');
  expect(systemChromium({ PATH: join(folder, 'a'), CHROMIUM_PATH: chosen })).toBe(chosen);
});

test('a CHROMIUM_PATH that does not exist is an error, even if there is another Chromium', () => {
  program('a', 'chromium');
  const gone = join(folder, 'gone');
  expect(() => systemChromium({ PATH: join(folder, 'a'), CHROMIUM_PATH: gone })).toThrow(
    `CHROMIUM_PATH names ${gone}, which does not exist`
  );
});

test.each([[{}], [{ PATH: '' }], [{ PATH: '/snap/bin' }], [{ PATH: 'relative', CHROMIUM_PATH: '' }]])(
  'with %j no browser is found, and npm downloads one',
  environment => expect(systemChromium(environment)).toBeUndefined()
);
