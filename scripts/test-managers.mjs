/**
 * `npm run test:managers`: runs the tests of the array core (test/src) with each memory manager in turn, selected with the
 * environment variable, as users do (rule 222). Arguments go to jest. The last lines count everything.
 */
import './setup/minimum-node.mjs';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureAll } from './setup/all.mjs';
import { runCommand } from './setup/failure.mjs';
import { underRuntimeNode } from './setup/node.mjs';
import { runJest } from './test/suite.mjs';

/** The path of a module, also for processes in other folders, such as Dask's workers. @param {string} name */
const path = name => fileURLToPath(new URL(`../${name}`, import.meta.url));

/** @type {readonly (readonly [name: string, module: string])[]} */
const managers = [
  ['default', 'default'],
  ['plugin for device memory alone', path('test/src/managers/host-only.plugin.ts')],
  ['best-fit pool', path('src/memory/managers/best-fit-pool.ts')],
  ['async pool', path('src/memory/managers/async-pool.ts')],
  ['logging', path('src/memory/managers/logging.ts')],
  ['statistics over a limit', path('test/src/managers/limited-statistics.plugin.ts')]
];

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    await ensureAll();
    const folder = mkdtempSync(join(tmpdir(), 'stridelab-managers-'));
    process.env['STRIDELAB_MEMORY_LOG'] = join(folder, 'memory.csv');
    const lines = [];
    let failures = 0;
    try {
      for (const [name, module] of managers) {
        console.log(`\n=== ${name}: STRIDELAB_CUDA_MEMORY_MANAGER=${module}`);
        process.env['STRIDELAB_CUDA_MEMORY_MANAGER'] = module;
        const outcome = await runJest(['--selectProjects', 'src', '--', ...process.argv.slice(2)]);
        const { status, passed, failed, skipped } = outcome;
        if (status !== 0) failures++;
        lines.push(`${name.padEnd(32)} ${passed} passed, ${failed} failed, ${skipped} skipped`);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
    console.log(`\n${lines.join('\n')}`);
    return failures === 0 ? 0 : 1;
  })
);
