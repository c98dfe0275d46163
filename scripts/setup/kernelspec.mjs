import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from './child.mjs';
import { runtimeNode } from './node.mjs';
import { paths } from './paths.mjs';
import { filesBelow, fingerprint, refresh } from './stamp.mjs';

const overrides = join(paths.companion, 'lab-overrides.json');

/** Returns the files that a registration depends on. */
export const registeredFiles = () => [
  ...filesBelow(paths.kernelCommand, ['.js']),
  ...filesBelow(paths.kernelLogos, ['.js', '.svg', '.png'])
];

/** Registers the kernel and the extension in `.venv`, with the same command as other installations. */
export async function ensureKernelspec() {
  const node = runtimeNode();
  const settings = join(paths.jupyterData, 'lab', 'settings');
  const args = ['install', '--prefix', paths.venv, '--node', node];
  await refresh({
    name: 'kernelspec',
    doing: 'registering the kernel and the extension in .venv',
    hash: fingerprint([...registeredFiles(), overrides], args),
    results: [
      join(paths.jupyterData, 'kernels', 'stridelab', 'kernel.json'),
      join(paths.jupyterData, 'labextensions', 'stridelab', 'package.json'),
      join(settings, 'overrides.json')
    ],
    work: async () => {
      const main = join(paths.kernelCommand, 'main.js');
      await runStep('kernelspec', node, [main, ...args], { fix: 'see the message above.' });
      mkdirSync(settings, { recursive: true });
      copyFileSync(overrides, join(settings, 'overrides.json'));
    }
  });
}
