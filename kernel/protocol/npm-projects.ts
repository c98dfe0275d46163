/**
 * The npm projects in the cache that hold the packages of a folder's notebooks. Packages share one project, and so their dependencies; a
 * version that contradicts the first project is in the second, and so on.
 */

import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import type semver from 'semver';
import { importCache } from './import-cache.ts';
import { LOCK_FILE, readLockFile } from './lock-file.ts';
import type { PackageSpecifier } from './package-specifiers.ts';
import { stampOf } from './user-files.ts';

export interface InstalledPackage {
  /** The range or tag in the project's `package.json`; `*` for any. */
  readonly range: string;
  readonly version: string;
}

/** What a project contains, written when an installation is complete. */
export interface Inventory {
  /** The packages that notebooks import, by name. */
  readonly packages: Readonly<Record<string, InstalledPackage>>;
  /** For each imported module, its file as `NpmProjects.typesOf` describes it, relative to the project. */
  readonly modules: Readonly<Record<string, string | null>>;
  /** Packages of types that go with them: ranges by name. */
  readonly types: Readonly<Record<string, string>>;
  /** Versions of all packages, by their folders relative to the project. */
  readonly tree: Readonly<Record<string, string>>;
}

/** The parts of a `package-lock.json` that are read here. */
export interface PackageLock {
  readonly packages?: Readonly<
    Record<
      string,
      {
        readonly version?: string;
        readonly dependencies?: Readonly<Record<string, string>>;
        readonly optionalDependencies?: Readonly<Record<string, string>>;
      }
    >
  >;
}

export interface NpmProject {
  readonly folder: string;
  readonly inventory: Inventory;
  /** The locked state that the project must have, if there is a lockfile. */
  readonly lock: PackageLock | undefined;
}

export const NPM_LOCK_PART = 'npm';
export const INVENTORY_FILE = 'inventory.json';
const EMPTY: Inventory = { packages: {}, modules: {}, types: {}, tree: {} };
const HASH_LENGTH = 16;

export class NpmProjects {
  /** The notebooks' folder. */
  readonly notebooks: string;
  readonly #stamped = new Map<string, { readonly stamp: string; readonly value: unknown }>();

  constructor(notebooks: string) {
    this.notebooks = notebooks;
  }

  /** The folder of the projects. */
  get root(): string {
    const hash = createHash('sha256').update(this.notebooks).digest('hex').slice(0, HASH_LENGTH);
    return join(importCache(), 'npm', `${basename(this.notebooks)}-${hash}`);
  }

  /** Returns the projects in the order in which packages are looked up. @throws SyntaxError for a malformed lockfile */
  all(): NpmProject[] {
    const projects: NpmProject[] = [];
    for (let project = this.project(0); isThere(project); project = this.project(projects.length)) {
      projects.push(project);
    }
    return projects;
  }

  project(index: number): NpmProject {
    const folder = join(this.root, String(index + 1));
    const inventory = this.#stampedRead(join(folder, INVENTORY_FILE), () => readInventory(folder));
    return { folder, inventory, lock: this.#locks()[index] };
  }

  /** Returns the project that has an installed package of this specifier; undefined if none has. */
  find(wanted: PackageSpecifier): NpmProject | undefined {
    const project = this.all().find(each => chosenVersion(each, wanted) !== undefined);
    if (project === undefined) return undefined;
    const { version } = project.inventory.packages[wanted.name] ?? {};
    if (version !== chosenVersion(project, wanted)) return undefined;
    return existsSync(join(project.folder, 'node_modules', wanted.name)) ? project : undefined;
  }

  /**
   * Returns the absolute path of the file with the types of a module, or with its code if it has no types; null if it has neither, and
   * undefined if it is not installed or was never imported.
   */
  typesOf(wanted: PackageSpecifier): string | null | undefined {
    const project = this.find(wanted);
    const file = project?.inventory.modules[wanted.name + wanted.path];
    return project === undefined || typeof file !== 'string' ? file : join(project.folder, file);
  }

  #locks(): readonly PackageLock[] {
    return this.#stampedRead(join(this.notebooks, LOCK_FILE), () => {
      const part = readLockFile(this.notebooks)?.[NPM_LOCK_PART];
      return Array.isArray(part) ? (part as PackageLock[]) : [];
    });
  }

  #stampedRead<Value>(path: string, read: () => Value): Value {
    const stamp = stampOf(path);
    const known = this.#stamped.get(path);
    if (known?.stamp === stamp) return known.value as Value;
    const value = read();
    this.#stamped.set(path, { stamp, value });
    return value;
  }
}

let loaded: typeof semver | undefined;

/** Loads the library of versions: few notebooks need it. */
function versions(): typeof semver {
  return (loaded ??= createRequire(import.meta.url)('semver') as typeof semver);
}

function isThere({ folder, lock }: NpmProject): boolean {
  return lock !== undefined || existsSync(folder);
}

/** Returns the version that answers a specifier in this project, the locked one if there is a lock; undefined if none does. */
export function chosenVersion({ inventory, lock }: NpmProject, wanted: PackageSpecifier): string | undefined {
  const { name } = wanted;
  const lockedRange = lock?.packages?.['']?.dependencies?.[name];
  const chosen =
    lockedRange === undefined
      ? inventory.packages[name]
      : { range: lockedRange, version: lock?.packages?.[`node_modules/${name}`]?.version };
  if (chosen?.version === undefined) return undefined;
  return answers(chosen.range, wanted.range) || contains(wanted.range, chosen.version)
    ? chosen.version
    : undefined;
}

/** Returns whether the range, which may be empty for any, contains the version. */
export function contains(range: string, version: string): boolean {
  return range === '' || versions().satisfies(version, range);
}

/** Returns whether every version that `range` allows is also allowed by `wanted`. */
export function answers(range: string, wanted: string): boolean {
  if (wanted === '' || range === wanted) return true;
  const { subset, validRange } = versions();
  return validRange(range) !== null && validRange(wanted) !== null && subset(range, wanted);
}

function readInventory(folder: string): Inventory {
  try {
    return JSON.parse(readFileSync(join(folder, INVENTORY_FILE), 'utf8')) as Inventory;
  } catch {
    // Nothing was installed yet, or the file is unreadable: it is then installed again.
    return EMPTY;
  }
}
