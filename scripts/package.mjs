/**
 * `npm run package`: makes what would be published in `build/packages`, and checks it: three npm packages, two wheels and a source
 * distribution. Uploads nothing.
 */
import './setup/minimum-node.mjs';
import { statSync } from 'node:fs';
import { relative } from 'node:path';
import { makePackages } from './package/all.mjs';
import { packagesFolder } from './package/places.mjs';
import { filesOf } from './package/tree.mjs';
import { ensureAll } from './setup/all.mjs';
import { runCommand } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureAll();
    await makePackages();
    for (const file of filesOf(packagesFolder, /./))
      console.log(`${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB  ${relative(root, file)}`);
    return 0;
  })
);
