import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { paths, root } from './paths.mjs';
import { Progress } from './progress.mjs';

/**
 * Returns the files below `folder` whose names end with one of `endings`, sorted, without build folders.
 * @param {string} folder
 * @param {readonly string[]} endings
 * @returns {string[]}
 */
export function filesBelow(folder, endings) {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap(entry => {
      const path = join(folder, entry.name);
      if (entry.isDirectory())
        return entry.name === 'build' || entry.name === '__pycache__' ? [] : filesBelow(path, endings);
      return endings.some(ending => entry.name.endsWith(ending)) ? [path] : [];
    });
}

/**
 * Returns a hash of the files (absolute paths) and facts (compiler, options) that determine a step's result.
 * @param {readonly string[]} files
 * @param {readonly string[]} [facts]
 */
export function fingerprint(files, facts = []) {
  const hash = createHash('sha256');
  for (const fact of facts) hash.update(fact).update('\0');
  for (const file of files)
    hash.update(relative(root, file)).update('\0').update(readFileSync(file)).update('\0');
  return hash.digest('hex');
}

/**
 * Returns why a step has to run; undefined if its result is fresh.
 * @param {string} name the stamp's name
 * @param {string} hash from `fingerprint`
 * @param {readonly string[]} results paths that must exist
 * @returns {string | undefined}
 */
function staleness(name, hash, results) {
  const missing = results.find(path => !existsSync(path));
  if (missing !== undefined) return `${relative(root, missing)} is missing`;
  const stamp = join(paths.stamps, `${name}.json`);
  if (!existsSync(stamp)) return 'it has not been built yet';
  return JSON.parse(readFileSync(stamp, 'utf8')).hash === hash ? undefined : 'its inputs changed';
}

/**
 * @param {string} name
 * @param {string} hash
 */
function writeStamp(name, hash) {
  mkdirSync(paths.stamps, { recursive: true });
  writeFileSync(join(paths.stamps, `${name}.json`), `${JSON.stringify({ hash }, null, 2)}\n`);
}

/** Deletes the stamp of a step, so that a step that fails midway is not considered fresh. @param {string} name */
function dropStamp(name) {
  rmSync(join(paths.stamps, `${name}.json`), { force: true });
}

/**
 * Runs one step of the set-up if its inputs changed or a result is missing, and shows its progress.
 * @param {object} step
 * @param {string} step.name the stamp's name
 * @param {string} step.doing description of the work
 * @param {string} step.hash from `fingerprint`
 * @param {readonly string[]} step.results paths that the work creates
 * @param {(progress: Progress) => Promise<void>} step.work
 */
export async function refresh({ name, doing, hash, results, work }) {
  const reason = staleness(name, hash, results);
  if (reason === undefined) return;
  await announced(doing, reason, async progress => {
    dropStamp(name);
    await work(progress);
    writeStamp(name, hash);
  });
}

/**
 * @param {string} doing
 * @param {string} reason
 * @param {(progress: Progress) => Promise<void>} work
 */
export async function announced(doing, reason, work) {
  const progress = new Progress(doing, reason);
  let succeeded = false;
  try {
    await work(progress);
    succeeded = true;
  } finally {
    progress.end(succeeded);
  }
}
