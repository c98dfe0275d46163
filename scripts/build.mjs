/** `npm run build`: runs the whole set-up, and starts nothing. */
import './setup/minimum-node.mjs';
import { ensureAll } from './setup/all.mjs';
import { runCommand } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureAll();
    return 0;
  })
);
