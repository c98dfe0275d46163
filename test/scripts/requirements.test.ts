/** Missing requirements of a machine are reported immediately, before anything is downloaded. */

import { chmodSync, cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { whyNoSpace } from '../../scripts/setup/requirements.mjs';
import { root, run } from '../setup/repository.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

let checkout: string;
let programs: string;
beforeEach(() => {
  checkout = temporaryFolder();
  programs = join(checkout, 'programs');
  mkdirSync(programs);
  for (const name of ['scripts', 'package.json', 'package-lock.json', 'python/requirements.lock'])
    cpSync(join(root, name), join(checkout, name), { recursive: true });
  // Any download would start with a request to npm.
  program('npm', `touch '${join(checkout, 'npm-was-asked')}'; exit 1`);
});

function program(name: string, script: string): void {
  writeFileSync(join(programs, name), `#!/bin/sh\n${script}\n`);
  chmodSync(join(programs, name), 0o755);
}

const start = async (): Promise<{ status: number | null; lines: string[] }> => {
  const environment = { PATH: programs, CXX: undefined, STRIDELAB_PYTHON: undefined };
  const { status, output } = await run(
    process.execPath,
    [join(checkout, 'scripts', 'start.mjs')],
    environment
  );
  return { status, lines: output.trim().split('\n') };
};

test('without Python and a compiler both are named, each with a fix, and nothing is downloaded', async () => {
  expect(await start()).toEqual({
    status: 1,
    lines: [
      expect.stringMatching(/^JupyterLab 4\.6 needs Python 3\.10 or newer, but python3 was not found: .*\.$/),
      expect.stringMatching(
        /^The native core needs a C\+\+20 compiler, but none of c\+\+, g\+\+, clang\+\+ was found: .*\.$/
      )
    ]
  });
  expect(existsSync(join(checkout, 'npm-was-asked'))).toBe(false);
});

test('a Python without ensurepip and a compiler without C++20 are distinguished from absent ones', async () => {
  program('python3', 'case "$2" in *version_info*) echo 3 12;; *) exit 1;; esac');
  program('g++', 'exit 1');
  const { status, lines } = await start();
  expect(status).toBe(1);
  expect(lines).toEqual([
    expect.stringContaining('apt-get install python3-venv'),
    expect.stringContaining('g++ cannot compile C++20')
  ]);
  expect(existsSync(join(checkout, 'npm-was-asked'))).toBe(false);
});

test('if everything is present the downloads start, and the failures of both are reported at the end', async () => {
  program('python3', 'case "$2" in *version_info*) echo 3 12;; esac');
  program('c++', 'exit 0');
  const { status, lines } = await start();
  expect(status).toBe(1);
  const end = lines.slice(lines.findLastIndex(line => line.startsWith('setup: '))).join('\n');
  expect(end).toContain('check the connection to the npm registry');
  expect(end).toContain('check the connection to the Python package index');
});

test('a full disk is reported with its free space', () => {
  expect(whyNoSpace({ bavail: 1_000_000, bsize: 4096 })).toBeUndefined();
  expect(whyNoSpace({ bavail: 100_000, bsize: 4096 })).toMatch(
    /needs 3 GB of disk space, but .* has 0\.4 GB free/
  );
});
