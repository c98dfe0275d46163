import { existsSync, readFileSync, rmSync } from 'node:fs';
import { join, relative } from 'node:path';
import { runForeground } from '../setup/child.mjs';
import { runtimeNode } from '../setup/node.mjs';
import { paths, root } from '../setup/paths.mjs';
import { filesBelow } from '../setup/stamp.mjs';
import { affectedFolders } from './affected.mjs';
import { changedFiles } from './changes.mjs';

const jest = join(paths.packages, 'jest', 'bin', 'jest.js');
/** The results of jest's last run, as JSON. */
export const reportPath = join(paths.build, 'test-results.json');

/** Rooms of tests that install what `npm run package` makes, or other frontends, into new environments: minutes and downloads. */
export const INSTALLATIONS = ['packages', 'frontends'];
/** Rooms that `npm test` leaves out. `libraries` installs dozens of npm packages: npm run test:libraries. */
export const LEFT_OUT = [...INSTALLATIONS, 'libraries'];

const SHOWN = 10;

const NODE_OPTIONS = ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning'];

/** @typedef {{ status: number, passed: number, failed: number, skipped: number, slowest: string }} Outcome `slowest` lists the slowest test files */

/**
 * Runs jest with its usual output. A test file that fails to load counts as one failure, since none of its tests is counted.
 * @param {readonly string[]} args jest's arguments
 * @returns {Promise<Outcome>}
 */
export async function runJest(args) {
  rmSync(reportPath, { force: true });
  const status = await runForeground(runtimeNode(), [
    ...NODE_OPTIONS,
    jest,
    // Resources that a failed test leaves open must not keep the process running.
    '--forceExit',
    '--json',
    `--outputFile=${reportPath}`,
    ...args
  ]);
  try {
    const results = JSON.parse(readFileSync(reportPath, 'utf8'));
    return {
      status,
      passed: results.numPassedTests,
      failed: results.numFailedTests + results.numRuntimeErrorTestSuites,
      skipped: results.numPendingTests + results.numTodoTests,
      slowest: slowest(results.testResults)
    };
  } catch {
    console.error('jest ended without a report');
    return { status: status || 1, passed: 0, failed: 1, skipped: 0, slowest: '' };
  }
}

/**
 * Returns jest's arguments for the tests that the changes can break: those that import a changed file, directly or indirectly,
 * and those that affected.mjs adds.
 * @returns {Promise<string[]>} none to run all tests
 */
export async function testsOfChanges() {
  const changed = await changedFiles();
  const folders = changed && affectedFolders(changed);
  if (changed === undefined || folders === undefined) {
    console.log('changed: files that every test depends on');
    return [];
  }
  const added = folders.flatMap(folder => filesBelow(join(root, 'test', folder), ['.test.ts']));
  const present = changed.map(file => join(root, file)).filter(file => existsSync(file));
  console.log(
    `changed: ${changed.length} files; tests that import them, and ${folders.join(', ') || 'no others'}`
  );
  return ['--passWithNoTests', '--findRelatedTests', ...present, ...added];
}

/** Runs jest's watch mode until the user quits. @param {readonly string[]} args jest's arguments @returns {Promise<number>} */
export const watchTests = args => runForeground(runtimeNode(), [...NODE_OPTIONS, jest, ...args]);

/** @param {{ name: string, startTime: number, endTime: number }[]} files @returns {string} */
function slowest(files) {
  return files
    .map(({ name, startTime, endTime }) => ({
      name: relative(root, name),
      seconds: (endTime - startTime) / 1000
    }))
    .sort((one, other) => other.seconds - one.seconds)
    .slice(0, SHOWN)
    .map(({ name, seconds }) => `${seconds.toFixed(1).padStart(6)} s  ${name}`)
    .join('\n');
}
