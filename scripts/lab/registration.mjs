import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { runStep } from '../setup/child.mjs';
import { ensureExtension } from '../setup/extension.mjs';
import { runtimeNode } from '../setup/node.mjs';
import { paths } from '../setup/paths.mjs';

const prefix = join(paths.build, 'jupyter', 'registered');

/** Jupyter's data folder that holds this checkout's kernel and extension; first on `JUPYTER_PATH`, it hides those of `.venv`. */
export const registeredData = join(prefix, 'share', 'jupyter');

/** Registers the kernel and the extension of this checkout for servers with a private environment, whatever `.venv` holds. */
export async function registerCheckout() {
  await ensureExtension();
  mkdirSync(prefix, { recursive: true });
  const node = runtimeNode();
  const main = join(paths.kernelCommand, 'main.js');
  await runStep('registration', node, [main, 'install', '--prefix', prefix, '--node', node], {
    fix: 'the message above says why.'
  });
}
