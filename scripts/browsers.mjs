/**
 * `npm run browsers [-- PATTERN…]`: runs the browser tests in Chromium and, if it is installed, in Firefox, and prints a table of the
 * results. `npm test` runs them in Chromium only.
 */
import './setup/minimum-node.mjs';
import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { ensureAll } from './setup/all.mjs';
import { ensureChromium } from './setup/browser.mjs';
import { runCommand } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { ensureTestTools } from './setup/python.mjs';
import { reportPath, runJest } from './test/suite.mjs';

const firefox = process.env['FIREFOX_PATH'] ?? '/usr/bin/firefox-esr';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureAll();
    await ensureTestTools();
    await ensureChromium();
    const names = existsSync(firefox) ? ['chromium', 'firefox'] : ['chromium'];
    const patterns = process.argv.slice(2);
    const options = ['--runInBand', '--selectProjects', 'notebooks', '--'];
    /** @type {Map<string, Map<string, string>>} */
    const table = new Map();
    let failed = 0;
    for (const name of names) {
      process.env['STRIDELAB_BROWSER'] = name;
      const outcome = await runJest([...options, ...(patterns.length > 0 ? patterns : ['-in-browser'])]);
      failed += outcome.failed;
      for (const [file, figures] of passedByFile()) {
        const row = table.get(file) ?? new Map();
        table.set(file, row.set(name, figures));
      }
    }
    console.log(`\n| tests | ${names.join(' | ')} |`);
    console.log(`|---|${'---|'.repeat(names.length)}`);
    for (const [file, row] of table)
      console.log(`| ${file} | ${names.map(name => row.get(name) ?? '–').join(' | ')} |`);
    return failed > 0 ? 1 : 0;
  })
);

/** Returns the figures of the last run, sorted by file. @returns {[file: string, figures: string][]} */
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
