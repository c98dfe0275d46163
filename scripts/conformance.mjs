/**
 * `npm run conformance`: runs the tests of the native core and the array library, prints the result of each numbered rule, and writes docs/conformance.md.
 * `npm run conformance -- --report FILE` reads a report that jest wrote with --json instead. The status is 1 if a rule fails
 * or has neither a test nor a document.
 */
import './setup/minimum-node.mjs';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { brokenFiles, readRules, rowsOf } from './conformance/rows.mjs';
import { document, summary, table } from './conformance/table.mjs';
import { runCommand } from './setup/failure.mjs';
import { ensureNative } from './setup/native.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';
import { reportPath, runJest } from './test/suite.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const { values } = parseArgs({ options: { report: { type: 'string' } } });
    if (values.report === undefined) await runTests();
    const report = JSON.parse(readFileSync(values.report ?? reportPath, 'utf8'));
    const rows = rowsOf(readRules(), report);
    console.log(table(rows));
    console.log(summary(rows));
    const broken = brokenFiles(report);
    for (const file of broken) console.log(`cannot load ${file}`);
    writeFileSync(join(root, 'docs', 'conformance.md'), document(rows));
    const wrong = rows.filter(({ verdict }) => verdict === 'fail' || verdict === 'missing');
    for (const { rule, verdict, reason } of wrong)
      console.error(`rule ${rule.number} ${verdict}: ${rule.rule}: ${reason}`);
    return wrong.length + broken.length === 0 ? 0 : 1;
  })
);

async function runTests() {
  await ensureNative();
  await ensureTypeScript();
  await runJest(['--selectProjects', 'native', 'src', '--silent']);
}
