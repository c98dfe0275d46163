import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runForeground } from './child.mjs';
import { SetupFailure } from './failure.mjs';
import { NO_RUNTIME, RUNTIME_MAJOR } from './minimum-node.mjs';
import { ensurePackages } from './packages.mjs';
import { paths } from './paths.mjs';
import { ensurePython } from './python.mjs';
import { checkRequirements } from './requirements.mjs';
import { together } from './together.mjs';

const major = Number(process.versions.node.split('.')[0]);

/**
 * Returns the Node that runs the kernel and the tests: the packaged one if there is one for this platform,
 * otherwise the Node that runs this program, if it is new enough.
 * @returns {string} absolute path
 */
export function runtimeNode() {
  const packaged = join(paths.packages, `node-${process.platform}-${process.arch}`, 'bin', 'node');
  if (existsSync(packaged)) return packaged;
  if (major >= RUNTIME_MAJOR) return process.execPath;
  throw new SetupFailure(NO_RUNTIME);
}

/**
 * Checks the machine and installs the npm packages and `.venv` if needed, then runs the rest of a command with the Node of the
 * kernel: in this process if it is new enough, otherwise in a child with the same script and arguments.
 * @param {string} moduleUrl the script's `import.meta.url`
 * @param {() => Promise<number>} body
 * @returns {Promise<number>} exit status
 */
export async function underRuntimeNode(moduleUrl, body) {
  await checkRequirements();
  await together(ensurePackages(), ensurePython());
  const node = runtimeNode();
  if (major >= RUNTIME_MAJOR) return body();
  return runForeground(node, [fileURLToPath(moduleUrl), ...process.argv.slice(2)]);
}
