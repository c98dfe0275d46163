/**
 * `npm run package`: makes what would be published in `build/packages`, and checks it: three npm packages, two wheels and a source
 * distribution. Uploads nothing.
 *   --into FOLDER  makes them in the folder `packages` there
 */
import './setup/minimum-node.mjs';
import { statSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { makePackages } from './package/all.mjs';
import { packagesIn } from './package/places.mjs';
import { filesOf } from './package/tree.mjs';
import { ensureAll } from './setup/all.mjs';
import { runCommand } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const { into } = parseArgs({ options: { into: { type: 'string', default: paths.build } } }).values;
    const folder = resolve(into);
    await ensureAll();
    await makePackages(folder);
    for (const file of filesOf(packagesIn(folder), /./))
      console.log(`${(statSync(file).size / 1e6).toFixed(1).padStart(6)} MB  ${relative(root, file)}`);
    return 0;
  })
);
