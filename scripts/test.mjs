/**
 * `npm test`: sets up what is missing, checks types and style, and runs the tests. The last line counts everything.
 * `npm test -- --help` lists the arguments.
 */
import './setup/minimum-node.mjs';
import { registerCheckout } from './lab/registration.mjs';
import { ensureAll } from './setup/all.mjs';
import { ensureChromium } from './setup/browser.mjs';
import { runCommand } from './setup/failure.mjs';
import { ensureCheckTools, ensureTestTools } from './setup/python.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { runChecks } from './test/checks.mjs';
import { footprint } from './test/footprint.mjs';
import { LEFT_OUT, runJest, testsOfChanges, watchTests } from './test/suite.mjs';

const HELP = `npm test                     all checks and all tests
npm test -- --changed        all checks, and the tests that differences from main and uncommitted changes can break
npm test -- --watch          the tests that import uncommitted files, again after each change (jest's watch mode)
npm test -- test/src -t NAME jest's arguments: the tests in some files or with some names, without the checks`;

const given = process.argv.slice(2);
const changed = given.includes('--changed');
const args = given.filter(argument => argument !== '--changed');
const others = LEFT_OUT.map(room => `--ignoreProjects=${room}`);

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    if (given.includes('--help')) {
      console.log(HELP);
      return 0;
    }
    await ensureAll();
    await ensureTestTools();
    await ensureChromium();
    // Once, before test files that need it run concurrently.
    await registerCheckout();
    // Python would cache the bytecode of the companion package beside its sources.
    process.env['PYTHONDONTWRITEBYTECODE'] = '1';
    if (given.includes('--watch')) return watchTests(args);
    const whole = args.length === 0;
    if (whole) await ensureCheckTools();
    const failedChecks = whole ? await runChecks() : 0;
    const chosen = changed ? await testsOfChanges() : [];
    const before = await footprint();
    const { status, passed, failed, skipped, slowest } = await runJest(whole ? [...others, ...chosen] : args);
    const left = [...(await footprint())].filter(line => !before.has(line));
    if (left.length > 0) console.log(`The tests wrote outside build/ (git status):\n${left.join('\n')}`);
    if (whole) console.log(`slowest test files:\n${slowest}`);
    const wrong = failedChecks + Number(left.length > 0);
    console.log(`${passed} passed, ${failed + wrong} failed, ${skipped} skipped`);
    return status !== 0 || wrong > 0 ? 1 : 0;
  })
);
