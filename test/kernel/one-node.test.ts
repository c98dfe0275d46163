/** Programs that cells start run on the kernel's Node, even if PATH has another one first. */

import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { pathWithNode } from '../../kernel/front/executor/node-on-path.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';
import { kernel, withKernel } from './one-kernel.ts';

const others = temporaryFolder();
const cache = temporaryFolder();
/** A program `node` that is another one. */
const other = join(others, 'node');
writeFileSync(other, '#!/bin/sh\necho v0.0.1\n');
chmodSync(other, 0o755);

describe('in a kernel whose PATH has another Node first', () => {
  withKernel('ipc', {
    PATH: [others, process.env['PATH'] ?? ''].join(delimiter),
    XDG_CACHE_HOME: cache,
    npm_config_update_notifier: 'false'
  });

  test.each([
    ['a shell command', '!node -v'],
    ['a script of the shell', '%%bash\nnode -v'],
    [
      'a child process',
      "console.log(require('node:child_process').execFileSync('node', ['-v'], { encoding: 'utf8' }))"
    ],
    [
      'a command of a child process',
      "console.log(String(require('node:child_process').execSync('node -v')))"
    ],
    ['a script of npm', '%npm run --silent version'],
    ['a script of npm in the shell', '!npm run --silent version']
  ])("%s runs on the kernel's", async (_, code) => {
    writeFileSync(
      join(kernel.folder, 'package.json'),
      '{ "private": true, "scripts": { "version": "node -p process.version" } }'
    );
    const { stdout } = await kernel.execute(code);
    const { result } = await kernel.execute('process.version');
    expect(`'${stdout.trim()}'`).toBe(result);
  });

  test('a package that npm installs is built for it', async () => {
    const folder = join(kernel.folder, 'built');
    mkdirSync(folder, { recursive: true });
    writeFileSync(
      join(folder, 'package.json'),
      '{ "name": "built", "version": "1.0.0", "scripts": { "install": "node -p \'`module.exports = ${JSON.stringify(process.versions.modules)}`\' > index.js" } }'
    );
    const { reply } = await kernel.execute('%npm install --install-links ./built --offline');
    expect(reply).toMatchObject({ status: 'ok' });
    const { result } = await kernel.execute("require('built') === process.versions.modules");
    expect(result).toBe('true');
  });
});

describe('the PATH of cells', () => {
  const node = '/opt/kernel/bin/node';

  test("begins with a folder that only links to the kernel's Node, and has the folder of that last, for its npm", () => {
    const given = [others, '/usr/bin'];
    const [first, ...rest] = pathWithNode({ PATH: given.join(delimiter), XDG_CACHE_HOME: cache }, node).split(
      delimiter
    );
    expect(rest).toEqual([...given, '/opt/kernel/bin']);
    expect(readdirSync(first!)).toEqual(['node']);
    expect(readlinkSync(join(first!, 'node'))).toBe(node);
    // The PATH of a kernel that a cell started.
    const path = [first, ...rest].join(delimiter);
    expect(pathWithNode({ PATH: path, XDG_CACHE_HOME: cache }, node)).toBe(path);
  });

  test("stays as it is if its first Node is the kernel's", () => {
    const linked = temporaryFolder();
    symlinkSync(other, join(linked, 'node'));
    const path = [linked, others, '/usr/bin'].join(delimiter);
    expect(pathWithNode({ PATH: path, XDG_CACHE_HOME: join(linked, 'no') }, other)).toBe(path);
    expect(existsSync(join(linked, 'no'))).toBe(false);
  });

  test.each([other, '/proc/none'])(
    'has a temporary folder if the cache cannot be written: %s',
    unwritable => {
      const [first] = pathWithNode({ PATH: others, XDG_CACHE_HOME: unwritable }, node).split(delimiter);
      expect(dirname(first!)).toBe(tmpdir());
      expect(readlinkSync(join(first!, 'node'))).toBe(node);
      rmSync(first!, { recursive: true });
    }
  );
});
