/** `npm run bench:pictures [-- NAME…]`: measures how smoothly pictures pan and scroll in JupyterLab, in a headless browser. */
import './setup/minimum-node.mjs';
import { join } from 'node:path';
import { ensureChromium } from './setup/browser.mjs';
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
    await ensureChromium();
    const runner = join(root, 'bench', 'pictures', 'run.mjs');
    return runForeground(runtimeNode(), [runner, ...process.argv.slice(2)]);
  })
);
