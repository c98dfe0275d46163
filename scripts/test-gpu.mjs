/** `npm run test:gpu`: runs test/gpu on this machine's GPU, or says why it skipped. These tests need Node alone, no jest. */
import './setup/minimum-node.mjs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { runForeground } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { ensureNative } from './setup/native.mjs';
import { runtimeNode, underRuntimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';
import { ensurePython } from './setup/python.mjs';
import { filesBelow } from './setup/stamp.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensurePython();
    await ensureNative();
    await ensureTypeScript();
    const problem = whyNoGpu();
    if (problem !== undefined) {
      console.log(`skipped: no GPU test was run, because ${problem}`);
      return 0;
    }
    return runForeground(runtimeNode(), ['--test', ...filesBelow(join(root, 'test', 'gpu'), ['.test.ts'])]);
  })
);

/** Asks the addon, which opens the driver as the tests will. @returns {string | undefined} */
function whyNoGpu() {
  const addon = createRequire(import.meta.url)(paths.addon);
  try {
    return addon.devices('cuda').length === 0 ? 'the driver has no device' : undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
