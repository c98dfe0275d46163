import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './child.mjs';
import { paths, root } from './paths.mjs';
import { lineCounter } from './progress.mjs';
import { announced } from './stamp.mjs';

/** @typedef {Record<string, { version?: string, integrity?: string, optional?: boolean, os?: string[], cpu?: string[] }>} Locked */

/** @param {string} file @returns {Locked} */
const lockedPackages = file => JSON.parse(readFileSync(file, 'utf8')).packages;

/**
 * Compares the lock with npm's record of the installed packages.
 * @returns {string | undefined} why the packages must be installed
 */
function whyInstall() {
  const record = join(paths.packages, '.package-lock.json');
  if (!existsSync(record)) return 'node_modules is missing';
  const installed = lockedPackages(record);
  const wanted = Object.entries(lockedPackages(join(root, 'package-lock.json'))).filter(
    ([path]) => path !== ''
  );
  const stale = wanted.find(([path, { version, integrity, optional }]) => {
    const present = installed[path];
    if (present === undefined) return optional !== true;
    return present.version !== version || present.integrity !== integrity;
  });
  return stale === undefined ? undefined : `${stale[0]} differs from package-lock.json`;
}

/**
 * Runs `npm ci` without install scripts, so that no package runs code while it is installed; those with such scripts contain
 * prebuilt binaries. npm's cache is in this folder while it runs, since the home folder may be read-only.
 * @param {string} label the log's name
 * @param {string} cwd contains package.json and package-lock.json
 * @param {import('./progress.mjs').Progress} progress
 * @param {string} fix ends the error message
 */
export async function npmCi(label, cwd, progress, fix) {
  const total = Object.values(lockedPackages(join(cwd, 'package-lock.json'))).filter(isForHere).length;
  const count = lineCounter(/^npm http fetch GET 200 \S+\.tgz /);
  const cache = join(paths.build, 'cache', 'npm');
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel', 'http', '--cache', cache];
  await runStep(label, 'npm', ['ci', ...options], {
    cwd,
    fix,
    onOutput: text => progress.at(`package ${count(text)} of ${total}`)
  });
  rmSync(cache, { recursive: true, force: true });
}

/** Packages with programs for other platforms are not fetched. @param {Locked[string]} package_ */
const isForHere = ({ integrity, os, cpu }) =>
  integrity !== undefined &&
  (os?.includes(process.platform) ?? true) &&
  (cpu?.includes(process.arch) ?? true);

/** Installs the npm packages if they differ from package-lock.json. */
export async function ensurePackages() {
  const reason = whyInstall();
  if (reason === undefined) return;
  await announced('installing the npm packages', reason, progress =>
    npmCi(
      'packages',
      root,
      progress,
      'check the connection to the npm registry and that package.json and package-lock.json agree.'
    )
  );
}
