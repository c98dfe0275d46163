/**
 * `npm run lint:native`: runs clang-format and clang-tidy on all of `native/`. With `--changed`, as in `npm test`, only on
 * sources that differ from main, and on one source for each changed header that it includes.
 */
import './setup/minimum-node.mjs';
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { capture } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { configureNative } from './setup/native.mjs';
import { writeNativeTables } from './setup/native-tables.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';
import { ensureNativeTools } from './setup/python.mjs';
import { filesBelow } from './setup/stamp.mjs';
import { changedFiles } from './test/changes.mjs';

const folder = join(paths.build, 'lint');
const OWN_FILE = /^native\/(?!build).*\.(cc|h)$/;
const CONFIGURATION = new Set([
  '.clang-tidy',
  '.clang-format',
  'native/CMakeLists.txt',
  'python/native-tools.lock'
]);
const everything = filesBelow(join(root, 'native'), ['.cc', '.h'])
  .map(file => relative(root, file))
  .filter(file => OWN_FILE.test(file));

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const { sources, formatted } = await chooseFiles();
    if (formatted.length === 0) {
      console.log('no native code changed');
      return 0;
    }
    await ensureNativeTools();
    const format = await tool('clang-format', ['--dry-run', '--Werror', ...formatted]);
    if (!format)
      console.error('clang-format would change these files: run `.venv/bin/clang-format -i` on them.');
    await writeNativeTables();
    // clang-tidy lints each source separately.
    await configureNative(folder, { CMAKE_UNITY_BUILD: 'OFF' });
    const tidy = await tidyAll(sources);
    console.log(`clang-format checked ${formatted.length} files, clang-tidy ${sources.length} sources`);
    return format && tidy ? 0 : 1;
  })
);

/** Chooses the files for clang-tidy and clang-format. @returns {Promise<{ sources: readonly string[], formatted: readonly string[] }>} */
async function chooseFiles() {
  const all = { sources: everything.filter(file => file.endsWith('.cc')), formatted: everything };
  const changes = process.argv.includes('--changed') ? await changedFiles() : undefined;
  if (changes === undefined || changes.some(file => CONFIGURATION.has(file))) return all;
  const changed = changes.filter(file => OWN_FILE.test(file) && existsSync(join(root, file)));
  const sources = changed.map(file => (file.endsWith('.cc') ? file : sourceOf(file, all.sources)));
  return { sources: [...new Set(sources.filter(file => file !== undefined))], formatted: changed };
}

/**
 * Returns a source that includes a header, directly or through other headers: the one of the same name, otherwise the first.
 * @param {string} header @param {readonly string[]} sources @returns {string | undefined}
 */
function sourceOf(header, sources) {
  const reached = new Set([header]);
  for (const file of reached) {
    const included = `#include "${file.slice('native/'.length)}"`;
    const users = everything.filter(user => readFileSync(join(root, user), 'utf8').includes(included));
    const source =
      users.find(user => user === header.replace(/h$/, 'cc')) ?? users.find(user => sources.includes(user));
    if (source !== undefined) return source;
    for (const user of users) reached.add(user);
  }
  return undefined;
}

/** @param {readonly string[]} sources @returns {Promise<boolean>} whether all were clean */
async function tidyAll(sources) {
  const queue = [...sources];
  let clean = true;
  const worker = async () => {
    for (let next = queue.shift(); next !== undefined; next = queue.shift())
      clean = (await tool('clang-tidy', ['-p', folder, '--quiet', next])) && clean;
  };
  await Promise.all(Array.from({ length: availableParallelism() }, worker));
  return clean;
}

/** Runs a program of `.venv` and shows its findings. @param {string} name @param {readonly string[]} args */
async function tool(name, args) {
  const { status, output } = await capture(join(paths.venvPrograms, name), args);
  if (status !== 0) console.log(output.trimEnd());
  return status === 0;
}
