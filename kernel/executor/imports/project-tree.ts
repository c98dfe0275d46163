/** The packages in a project's `node_modules`: which there are, and a repair after npm was killed. */

import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { PackageLock } from '../../protocol/npm-projects.ts';

/** npm's own record of the folder, and its programs. */
const HIDDEN_LOCK = '.package-lock.json';
const PROGRAMS = '.bin';

/** Returns the version of a package in its folder; undefined if there is none. */
export function versionIn(folder: string): string | undefined {
  try {
    const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      version?: string;
    };
    return version;
  } catch {
    return undefined;
  }
}

/** Returns the versions of all packages that a lock places, by their folders relative to the project. */
export function treeOf({ packages = {} }: PackageLock): Record<string, string> {
  const placed = Object.entries(packages).filter(
    ([path, { version }]) => path !== '' && version !== undefined
  );
  return Object.fromEntries(placed.map(([path, { version }]) => [path, version!]));
}

/** Removes what a killed npm may have left half written: packages that the last complete installation did not have. */
export function repair(project: string, tree: Readonly<Record<string, string>>): void {
  rmSync(join(project, 'node_modules', HIDDEN_LOCK), { force: true });
  repairFolder(project, 'node_modules', tree);
}

function repairFolder(project: string, modules: string, tree: Readonly<Record<string, string>>): void {
  for (const name of namesIn(join(project, modules))) {
    const path = `${modules}/${name}`;
    // Links in a scope's folder are packages too.
    if (/^@[^/]+$/.test(name)) repairFolder(project, path, tree);
    else if (tree[path] === undefined || versionIn(join(project, path)) !== tree[path])
      rmSync(join(project, path), { recursive: true, force: true });
    else repairFolder(project, `${path}/node_modules`, tree);
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder).filter(name => name !== PROGRAMS);
  } catch {
    return [];
  }
}
