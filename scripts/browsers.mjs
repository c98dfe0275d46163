/**
 * `npm run browsers [-- PATTERN…]`: the tests of what is shown in a browser, in each browser that is found here, and a table of what
 * passed where. `npm test` runs them in Chromium alone.
 */
import './setup/minimum-node.mjs';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ensureAll } from './setup/all.mjs';
import { runCommand, SetupFailure } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { ensureTestTools } from './setup/python.mjs';
import { reportPath, runJest } from './test/suite.mjs';

const BROWSERS = [
  { name: 'chromium', path: process.env['CHROMIUM_PATH'] ?? '/usr/bin/chromium' },
  { name: 'firefox', path: process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr' }
];

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const found = BROWSERS.filter(({ path }) => existsSync(path));
    if (found.length === 0)
      throw new SetupFailure(
        'No browser was found: install Chromium or Firefox, or name them with CHROMIUM_PATH and FIREFOX_PATH.'
      );
    await ensureAll();
    await ensureTestTools();
    const patterns = process.argv.slice(2);
    const options = ['--runInBand', '--selectProjects', 'notebooks', '--'];
    /** @type {Map<string, Map<string, string>>} */
    const table = new Map();
    let failed = 0;
    for (const { name } of found) {
      process.env['STRIDELAB_BROWSER'] = name;
      const outcome = await runJest([...options, ...(patterns.length > 0 ? patterns : ['-in-browser'])]);
      failed += outcome.failed;
      for (const [file, figures] of passedByFile()) {
        const row = table.get(file) ?? new Map();
        table.set(file, row.set(name, figures));
      }
    }
    console.log(`\n| tests | ${found.map(({ name }) => name).join(' | ')} |`);
    console.log(`|---|${'---|'.repeat(found.length)}`);
    for (const [file, row] of table)
      console.log(`| ${file} | ${found.map(({ name }) => row.get(name) ?? '–').join(' | ')} |`);
    return failed > 0 ? 1 : 0;
  })
);

/** @returns {[file: string, figures: string][]} of the last run, sorted by file */
function passedByFile() {
  /** @type {{ testResults: { name: string, assertionResults: { status: string }[] }[] }} */
  const { testResults } = JSON.parse(readFileSync(reportPath, 'utf8'));
  return testResults
    .map(({ name, assertionResults }) => {
      const passed = assertionResults.filter(({ status }) => status === 'passed').length;
      /** @type {[string, string]} */
      const row = [basename(name, '.test.ts'), `${passed} of ${assertionResults.length}`];
      return row;
    })
    .sort(([a], [b]) => (a < b ? -1 : 1));
}
