import { mkdirSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { ensureExtension } from '../setup/extension.mjs';
import { registeredFiles } from '../setup/kernelspec.mjs';
import { runtimeNode } from '../setup/node.mjs';
import { paths, root } from '../setup/paths.mjs';
import { fingerprint, refresh } from '../setup/stamp.mjs';

const prefix = join(paths.build, 'jupyter', 'registered');

/** Jupyter's data folder with this checkout's kernel and extension; first on `JUPYTER_PATH`, it takes precedence over `.venv`. */
export const registeredData = join(prefix, 'share', 'jupyter');

/**
 * Registers the kernel and the extension of this checkout.
 * @param {string} [place] prefix, such as a virtual environment; by default one for servers with a private environment, independent of
 *   `.venv`
 */
export async function registerCheckout(place = prefix) {
  await ensureExtension();
  const node = runtimeNode();
  const main = join(paths.kernelCommand, 'main.js');
  const args = ['install', '--prefix', place, '--node', node];
  const data = join(place, 'share', 'jupyter');
  await refresh({
    name: `registration-${basename(place)}`,
    doing: `registering the kernel and the extension in ${relative(root, place)}`,
    hash: fingerprint(registeredFiles(), args),
    results: [
      join(data, 'kernels', 'stridelab', 'kernel.json'),
      join(data, 'labextensions', 'stridelab', 'package.json')
    ],
    work: async () => {
      mkdirSync(place, { recursive: true });
      await runStep('registration', node, [main, ...args], { fix: 'see the message above.' });
    }
  });
}
