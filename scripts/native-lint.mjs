/**
 * `node scripts/native-lint.mjs`: clang-format and clang-tidy over `native/`, after a build (clang-tidy reads the compile
 * commands that it leaves). Exits 1 on any complaint, 2 where a tool is missing.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const sources = globSync('native/{binding,collectives,core,dlpack,driver,nccl}/**/*.cc', { cwd: root });
const headers = globSync('native/{binding,collectives,core,dlpack,driver,nccl}/**/*.h', { cwd: root });

/** @param {string} tool @param {string[]} values */
function run(tool, values) {
  const { status, error } = spawnSync(tool, values, {
    cwd: root,
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8'
  });
  if (error === undefined) return status === 0;
  console.error(`${tool} cannot be run (${error.message}): install clang-format and clang-tidy.`);
  process.exit(2);
}

const commands = `${root}native/build/compile_commands.json`;
if (!existsSync(commands)) {
  console.error('native/build has no compile_commands.json: run `npm run build` first.');
  process.exit(2);
}
// clang-tidy cannot read the headers that GCC compiled ahead.
const plain = `${root}build/lint`;
mkdirSync(plain, { recursive: true });
writeFileSync(
  `${plain}/compile_commands.json`,
  readFileSync(commands, 'utf8').replaceAll(/ -Winvalid-pch -include \S+cmake_pch\.hxx/g, '')
);
const formatted = run('clang-format', ['--dry-run', '--Werror', ...sources, ...headers]);
if (!formatted) console.error('clang-format would change native/: run `clang-format -i` on it.');
const tidy = run('clang-tidy', ['-p', plain, '--quiet', ...sources]);
process.exit(formatted && tidy ? 0 : 1);
