import { capture } from '../setup/child.mjs';
import { root } from '../setup/paths.mjs';

/** Runs git. @param {readonly string[]} args @returns {Promise<string | undefined>} its output, or undefined if it fails */
async function git(...args) {
  const { status, output } = await capture('git', ['-C', root, ...args]);
  return status === 0 ? output.trim() : undefined;
}

/**
 * Returns the commit to compare with: the merge base with main. On main itself it is the commit before the last one, so that
 * a run right after a commit checks that commit.
 * @returns {Promise<string | undefined>} undefined if git fails, for example without history
 */
async function baseOfChanges() {
  const head = await git('rev-parse', 'HEAD');
  const base = (await git('merge-base', 'HEAD', 'main')) ?? (await git('merge-base', 'HEAD', 'origin/main'));
  if (base !== undefined && base !== head) return base;
  return git('rev-parse', 'HEAD~1');
}

/**
 * Returns the files that differ from main: committed on this branch, changed or new in the working tree, or deleted.
 * @returns {Promise<string[] | undefined>} paths from the root of the repository; undefined if git fails
 */
export async function changedFiles() {
  const base = await baseOfChanges();
  if (base === undefined) return undefined;
  // Without rename detection, both the old and the new name are listed.
  const tracked = await git('-c', 'core.quotePath=off', 'diff', '--name-only', '--no-renames', base);
  const untracked = await git('-c', 'core.quotePath=off', 'ls-files', '--others', '--exclude-standard');
  if (tracked === undefined || untracked === undefined) return undefined;
  return [...tracked.split('\n'), ...untracked.split('\n')].filter(name => name !== '');
}
