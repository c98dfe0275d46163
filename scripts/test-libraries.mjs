/**
 * `npm run test:libraries [-- ARGUMENT...]`: installs the npm packages of the table in docs/packages.md into an empty folder, and runs a
 * cell with each, and the examples of that page. The arguments are jest's. Needs npm's registry; `npm test` leaves these tests out.
 */
import './setup/minimum-node.mjs';
import { ensureAll } from './setup/all.mjs';
import { capture } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { runJest } from './test/suite.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const { status: unreachable, output } = await capture('npm', ['ping', '--fetch-retries=0']);
    if (unreachable !== 0) {
      console.log(`npm's registry cannot be reached: the libraries were not tested\n${output.trim()}`);
      return 0;
    }
    await ensureAll();
    const { status, passed, failed, skipped } = await runJest([
      ...process.argv.slice(2),
      '--selectProjects=libraries'
    ]);
    console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
    return status;
  })
);
