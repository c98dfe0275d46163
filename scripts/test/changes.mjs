import { capture } from '../setup/child.mjs';
import { root } from '../setup/paths.mjs';

/** @param {readonly string[]} args @returns {Promise<string | undefined>} what git prints, or undefined where it fails */
async function git(...args) {
  const { status, output } = await capture('git', ['-C', root, ...args]);
  return status === 0 ? output.trim() : undefined;
}

/**
 * The commit that changes are counted from: where this branch left main. On main itself it is the commit before the last one, so that
 * a run right after a commit checks that commit.
 * @returns {Promise<string | undefined>} undefined where git cannot tell, as in a copy without history
 */
async function baseOfChanges() {
  const head = await git('rev-parse', 'HEAD');
  const base = (await git('merge-base', 'HEAD', 'main')) ?? (await git('merge-base', 'HEAD', 'origin/main'));
  if (base !== undefined && base !== head) return base;
  return git('rev-parse', 'HEAD~1');
}

/**
 * Files that differ from main: committed on this branch, changed or new in the working tree, or deleted.
 * @returns {Promise<string[] | undefined>} paths from the top of the repository; undefined where git cannot tell
 */
export async function changedFiles() {
  const base = await baseOfChanges();
  if (base === undefined) return undefined;
  // Without renames: both the old name and the new one count.
  const tracked = await git('-c', 'core.quotePath=off', 'diff', '--name-only', '--no-renames', base);
  const untracked = await git('-c', 'core.quotePath=off', 'ls-files', '--others', '--exclude-standard');
  if (tracked === undefined || untracked === undefined) return undefined;
  return [...tracked.split('\n'), ...untracked.split('\n')].filter(name => name !== '');
}
