import { existsSync, statfsSync } from 'node:fs';
import { whyNoCompiler } from './compiler.mjs';
import { SetupFailure } from './failure.mjs';
import { whyNoRuntime } from './minimum-node.mjs';
import { paths, root } from './paths.mjs';
import { whyNoPython } from './python.mjs';

/** What node_modules, .venv and the build take together: 1.7 GB, and what npm and pip need while they unpack. */
const DISK_GB = 3;

/**
 * Asks for everything that the set-up needs of the machine before the first download, so that nobody waits a minute to hear
 * what is missing. Looks only for what a step that is still to come will use.
 * @returns {Promise<void>}
 */
export async function checkRequirements() {
  const missing = [
    existsSync(paths.packages) ? undefined : whyNoRuntime(),
    existsSync(paths.packages) ? undefined : whyNoSpace(statfsSync(root)),
    existsSync(paths.python) ? undefined : await whyNoPython(),
    existsSync(paths.addon) ? undefined : await whyNoCompiler()
  ].filter(reason => reason !== undefined);
  if (missing.length > 0) throw new SetupFailure(missing.join('\n'));
}

/** @param {{ bavail: number, bsize: number }} disk @returns {string | undefined} */
export function whyNoSpace({ bavail, bsize }) {
  const free = (bavail * bsize) / 1e9;
  if (free >= DISK_GB) return undefined;
  return `The set-up needs ${DISK_GB} GB of disk, and ${root} has ${free.toFixed(1)} GB free: make room, or move this folder to a larger disk.`;
}
