import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { systemChromium } from '../../scripts/setup/browser.mjs';

let folder: string;
beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'stridelab-browser-'))));
afterEach(() => rmSync(folder, { recursive: true }));

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

test('a CHROMIUM_PATH that names nothing is an error that says so, although there is another Chromium', () => {
  program('a', 'chromium');
  const gone = join(folder, 'gone');
  expect(() => systemChromium({ PATH: join(folder, 'a'), CHROMIUM_PATH: gone })).toThrow(
    `CHROMIUM_PATH names ${gone}, which does not exist`
  );
});

test.each([[{}], [{ PATH: '' }], [{ PATH: '/snap/bin' }], [{ PATH: 'relative', CHROMIUM_PATH: '' }]])(
  'with %j there is none, and npm brings one',
  environment => expect(systemChromium(environment)).toBeUndefined()
);
