/**
 * `npm run test:packages [-- ARGUMENT...]`: makes the packages, installs them and other frontends into new environments, and tests
 * them there. The arguments are jest's. Takes minutes and downloads packages, so `npm test` leaves these tests out; CI runs them.
 */
import './setup/minimum-node.mjs';
import { makePackages } from './package/all.mjs';
import { ensureAll } from './setup/all.mjs';
import { ensureChromium } from './setup/browser.mjs';
import { runCommand } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { ensureTestTools } from './setup/python.mjs';
import { INSTALLATIONS, runJest } from './test/suite.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureAll();
    await ensureTestTools();
    await ensureChromium();
    await makePackages();
    process.env['PYTHONDONTWRITEBYTECODE'] = '1';
    const rooms = INSTALLATIONS.map(room => `--selectProjects=${room}`);
    const { status, passed, failed, skipped, slowest } = await runJest([...process.argv.slice(2), ...rooms]);
    console.log(`slowest test files:\n${slowest}`);
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    return status;
  })
);
