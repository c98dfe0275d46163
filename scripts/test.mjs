/**
 * `npm test`: sets up what is missing, checks types and style, and runs the tests. Arguments go to jest
 * (`npm test -- test/src -t strides`), and then the checks are left out. The last line counts everything.
 */
import './setup/minimum-node.mjs';
import { registerCheckout } from './lab/registration.mjs';
import { ensureAll } from './setup/all.mjs';
import { ensureChromium } from './setup/browser.mjs';
import { runCommand } from './setup/failure.mjs';
import { ensureCheckTools, ensureTestTools } from './setup/python.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { runChecks } from './test/checks.mjs';
import { runJest } from './test/suite.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureAll();
    await ensureTestTools();
    await ensureChromium();
    // Once, before files of tests that need it run at the same time.
    await registerCheckout();
    const args = process.argv.slice(2);
    if (args.length === 0) await ensureCheckTools();
    const failedChecks = args.length === 0 ? await runChecks() : 0;
    const { status, passed, failed, skipped, slowest } = await runJest(args);
    if (args.length === 0) console.log(`the files that took longest:\n${slowest}`);
    console.log(`${passed} passed, ${failed + failedChecks} failed, ${skipped} skipped`);
    return status !== 0 || failedChecks > 0 ? 1 : 0;
  })
);
