/**
 * `npm run interop`: tests the libraries of this machine's Python with arrays on the host, `npm run interop -- --gpu` with arrays on the
 * first GPU, and generates docs/interop.md from all stored results; `--page` only generates the page.
 */
import './setup/minimum-node.mjs';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { page } from '../bench/interop/page.mjs';
import { runForeground } from './setup/child.mjs';
import { runCommand } from './setup/failure.mjs';
import { whyNoGpu } from './setup/gpu.mjs';
import { ensureNative } from './setup/native.mjs';
import { runtimeNode, underRuntimeNode } from './setup/node.mjs';
import { paths, root } from './setup/paths.mjs';
import { ensureTypeScript } from './setup/typescript.mjs';

await runCommand(() =>
  underRuntimeNode(import.meta.url, async () => {
    const gpu = process.argv.includes('--gpu');
    if (!process.argv.includes('--page')) {
      await ensureNative();
      await ensureTypeScript();
      const problem = gpu ? whyNoGpu() : undefined;
      if (problem !== undefined) {
        console.log(`skipped: nothing was tested, because ${problem}`);
        return 0;
      }
      const program = join(root, 'bench', 'interop', 'run.mjs');
      const status = await runForeground(runtimeNode(), [program, gpu ? 'cuda' : 'host'], {
        env: { STRIDELAB_PYTHON: exchangePython(), ...process.env }
      });
      if (status !== 0) return status;
    }
    const results = ['cuda', 'host']
      .map(where => join(root, 'bench', 'results', `interop-${where}.json`))
      .filter(file => existsSync(file))
      .map(file => JSON.parse(readFileSync(file, 'utf8')));
    writeFileSync(join(root, 'docs', 'interop.md'), page(results));
    console.log('docs/interop.md');
    return 0;
  })
);

/** Returns the Python of `.venv-exchange`, if it exists; otherwise undefined, for the default search. */
function exchangePython() {
  return existsSync(paths.exchangePython) ? paths.exchangePython : undefined;
}
