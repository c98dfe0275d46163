import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { ensureExtension } from '../setup/extension.mjs';
import { registeredFiles } from '../setup/kernelspec.mjs';
import { runtimeNode } from '../setup/node.mjs';
import { paths } from '../setup/paths.mjs';
import { fingerprint, refresh } from '../setup/stamp.mjs';

const prefix = join(paths.build, 'jupyter', 'registered');

/** Jupyter's data folder with this checkout's kernel and extension; first on `JUPYTER_PATH`, it takes precedence over `.venv`. */
export const registeredData = join(prefix, 'share', 'jupyter');

/** Registers the kernel and the extension of this checkout for servers with a private environment, independent of `.venv`. */
export async function registerCheckout() {
  await ensureExtension();
  const node = runtimeNode();
  const main = join(paths.kernelCommand, 'main.js');
  const args = ['install', '--prefix', prefix, '--node', node];
  await refresh({
    name: 'registration',
    doing: 'registering the kernel and the extension in build/jupyter',
    hash: fingerprint(registeredFiles(), args),
    results: [
      join(registeredData, 'kernels', 'stridelab', 'kernel.json'),
      join(registeredData, 'labextensions', 'stridelab', 'package.json')
    ],
    work: async () => {
      mkdirSync(prefix, { recursive: true });
      await runStep('registration', node, [main, ...args], { fix: 'see the message above.' });
    }
  });
}
