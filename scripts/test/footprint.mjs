import { capture } from '../setup/child.mjs';
import { root } from '../setup/paths.mjs';

/** Where tests may write, and what the set-up makes. */
const ALLOWED =
  /^(build|dist|node_modules|native\/build[^/]*|\.venv[^/]*|\.gpu|kernel\/widgets\/controls\/generated)\//;

/**
 * Files of this checkout that are not committed as they stand, ignored ones too, except where tests may write. Two of them, before and
 * after the tests, tell what the tests left behind.
 * @returns {Promise<Set<string>>} lines of `git status`; none where this is no checkout
 */
export async function footprint() {
  const { status, output } = await capture('git', [
    '-C',
    root,
    '-c',
    'core.quotePath=off',
    'status',
    '--porcelain',
    '--ignored',
    '--no-renames'
  ]);
  const lines = status === 0 ? output.split('\n').filter(line => line !== '') : [];
  return new Set(lines.filter(line => !ALLOWED.test(line.slice(3))));
}
