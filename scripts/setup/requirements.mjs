import { existsSync, statfsSync } from 'node:fs';
import { whyNoCompiler } from './compiler.mjs';
import { SetupFailure } from './failure.mjs';
import { whyNoRuntime } from './minimum-node.mjs';
import { paths, root } from './paths.mjs';
import { whyNoPython } from './python.mjs';

/** node_modules, .venv and the build take 1.7 GB; npm and pip need more while they unpack. */
const DISK_GB = 3;

/**
 * Checks all requirements of the set-up before the first download, so that a missing one is reported at once.
 * Checks only the requirements of the remaining steps.
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
  return `The set-up needs ${DISK_GB} GB of disk space, but ${root} has ${free.toFixed(1)} GB free: free some space, or move this folder to a larger disk.`;
}
