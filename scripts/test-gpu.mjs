/** `npm run test:gpu`: runs test/gpu on this machine's GPU, or reports why it skipped. These tests need only Node, not jest. */
import './setup/minimum-node.mjs';
import { join } from 'node:path';
import { runForeground } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { whyNoGpu } from './setup/gpu.mjs';
import { ensureNative } from './setup/native.mjs';
import { runtimeNode, underRuntimeNode } from './setup/node.mjs';
import { root } from './setup/paths.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureNative();
    await ensureTypeScript();
    const problem = whyNoGpu();
    if (problem !== undefined) {
      console.log(`skipped: no GPU test was run, because ${problem}`);
      return 0;
    }
    return runForeground(runtimeNode(), [join(root, 'test', 'gpu', 'run.ts'), ...process.argv.slice(2)]);
  })
);
