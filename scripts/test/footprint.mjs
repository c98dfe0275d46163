import { capture } from '../setup/child.mjs';
import { root } from '../setup/paths.mjs';

/** The folders that tests and the set-up may write to. */
const ALLOWED =
  /^((build|dist|node_modules|native\/build[^/]*|\.venv[^/]*|\.gpu)\/|kernel\/widgets\/controls\/[^/]+\.generated\.ts$)/;

/**
 * Returns the uncommitted and ignored files of this checkout, except where tests may write. A comparison of the results before and after
 * the tests shows which files the tests left behind.
 * @returns {Promise<Set<string>>} lines of `git status`; none outside a checkout
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
