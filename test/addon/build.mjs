/** Builds the addon with only the C compiler, if a source is newer than it: `node build.mjs`, or `buildAddon()`. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const header = join(root, 'native', 'include', 'stridelab.h');
const result = join(root, 'build', 'test-addon', 'exchange.node');

/** Path of the addon. */
export function buildAddon() {
  const sources = readdirSync(here)
    .filter(name => /\.[ch]$/.test(name))
    .map(name => join(here, name));
  const newest = Math.max(...[...sources, header].map(path => statSync(path).mtimeMs));
  if ((statSync(result, { throwIfNoEntry: false })?.mtimeMs ?? 0) >= newest) return result;
  const headers = dirname(createRequire(import.meta.url).resolve('node-api-headers/include/node_api.h'));
  mkdirSync(dirname(result), { recursive: true });
  const fresh = `${result}.${process.pid}`;
  const flags = [
    '-std=c11',
    '-O1',
    '-Wall',
    '-Wextra',
    '-Werror',
    '-Wno-unused-function',
    '-fPIC',
    '-shared'
  ];
  const defines = ['-DNAPI_VERSION=8', '-DNODE_GYP_MODULE_NAME=exchange'];
  execFileSync(
    process.env['CC'] ?? 'cc',
    [
      ...flags,
      ...defines,
      `-I${headers}`,
      `-I${dirname(header)}`,
      ...sources.filter(path => path.endsWith('.c')),
      '-o',
      fresh,
      '-pthread'
    ],
    { stdio: 'inherit' }
  );
  renameSync(fresh, result); // atomic: tests of several files may build at the same time
  return result;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) buildAddon();
