/** `npm run bench:kernel`: compares the kernel with tslab, Deno and ipykernel, which it installs. */
import './setup/minimum-node.mjs';
import { join } from 'node:path';
import { runForeground } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { ensureNative } from './setup/native.mjs';
import { runtimeNode, underRuntimeNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureNative();
    await ensureTypeScript();
    return runForeground(runtimeNode(), [join(root, 'bench', 'kernel', 'run.mjs'), ...process.argv.slice(2)]);
  })
);
