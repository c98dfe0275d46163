/** Installs packages in one project of the cache, so that an interrupted or failed installation takes nothing away. */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../protocol/folders.ts';
import {
  INVENTORY_FILE,
  type InstalledPackage,
  type Inventory,
  type NpmProject,
  type PackageLock
} from '../../protocol/npm-projects.ts';
import { uninterrupted } from '../context/critical-section.ts';
import { npmFailure, runNpm, type NpmFailure } from '../magics/npm-program.ts';
import { typesFile, typesPackage } from './package-types.ts';
import { repair, treeOf, versionIn } from './project-tree.ts';

/** Exists while npm changes a project: it stays if npm is killed. */
const UNFINISHED = 'unfinished';
const LOCK = 'package-lock.json';

type Ranges = Readonly<Record<string, string>>;

/** Adds packages, and the types that they lack, to a project. Returns npm's failure; undefined if all went well. */
export async function addPackages(
  project: NpmProject,
  notebooks: string,
  packages: Ranges,
  signal: AbortSignal
): Promise<NpmFailure | undefined> {
  const { folder, inventory, lock } = project;
  uninterrupted(() => {
    makeFolder(folder);
    if (existsSync(join(folder, UNFINISHED))) repair(folder, inventory.tree);
    if (lock !== undefined) writeFileSync(join(folder, LOCK), JSON.stringify(lock));
    copySettings(notebooks, folder);
  });
  const root = lock?.packages?.[''];
  const earlier = Object.entries(inventory.packages).map(([name, { range }]) => [name, range] as const);
  const dependencies: Ranges = {
    ...packages,
    ...Object.fromEntries<string>(earlier),
    ...root?.dependencies
  };
  const known: Ranges = { ...inventory.types, ...root?.optionalDependencies };
  // The others were not in the registry.
  const present = Object.entries(known).filter(
    ([name]) => `node_modules/${name}` in { ...inventory.tree, ...lock?.packages }
  );
  const failure = await install(folder, dependencies, Object.fromEntries(present), signal);
  if (failure !== undefined) return failure;
  const missing = uninterrupted(() => missingTypes(folder, dependencies, known));
  if (Object.keys(missing).length > 0) {
    // Types are an extra: the packages work without them.
    await install(folder, dependencies, { ...Object.fromEntries(present), ...missing }, signal);
  }
  uninterrupted(() => {
    const types = { ...known, ...missing };
    writeInventory(folder, inventoryOf(folder, dependencies, types, inventory.modules));
  });
  return undefined;
}

/** Records where the types of these modules, which are installed, are. */
export function recordModules({ folder, inventory }: NpmProject, modules: readonly string[]): void {
  uninterrupted(() => {
    const found = modules.map(module => [module, typesFile(folder, module)] as const);
    writeInventory(folder, { ...inventory, modules: { ...inventory.modules, ...Object.fromEntries(found) } });
  });
}

/** Returns the project's `package-lock.json`, without packages of types that do not exist; undefined if there is none. */
export function packageLock(folder: string): PackageLock | undefined {
  const file = join(folder, LOCK);
  if (!existsSync(file)) return undefined;
  const lock = JSON.parse(readFileSync(file, 'utf8')) as PackageLock;
  const { '': root, ...packages } = lock.packages ?? {};
  const types = Object.entries(root?.optionalDependencies ?? {}).filter(
    ([name]) => packages[`node_modules/${name}`] !== undefined
  );
  const { optionalDependencies: _, ...rest } = root ?? {};
  const kept = types.length === 0 ? rest : { ...rest, optionalDependencies: Object.fromEntries(types) };
  return { ...lock, packages: { '': kept, ...packages } };
}

async function install(
  folder: string,
  dependencies: Ranges,
  types: Ranges,
  signal: AbortSignal
): Promise<NpmFailure | undefined> {
  // npm skips packages of types that the registry does not have.
  const manifest = { name: 'imports', private: true, dependencies, optionalDependencies: types };
  const unfinished = join(folder, UNFINISHED);
  uninterrupted(() => {
    writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
    writeFileSync(unfinished, '');
  });
  let failure = await npmInstall(folder, [], signal);
  // What npm has downloaded before, for other folders, it can install without the network.
  if (failure?.kind === 'offline' && (await npmInstall(folder, ['--offline'], signal)) === undefined) {
    failure = undefined;
  }
  rmSync(unfinished, { force: true });
  return failure;
}

async function npmInstall(
  folder: string,
  flags: readonly string[],
  signal: AbortSignal
): Promise<NpmFailure | undefined> {
  const ignore = (): void => undefined;
  const sinks = { stdout: ignore, stderr: ignore };
  const args = ['install', '--package-lock=true', ...flags, ...registryFlags()];
  const end = await runNpm({ folder, args, fetches: true }, signal, sinks);
  signal.throwIfAborted();
  if (typeof end.status === 'string') throw new Error(`npm was ended by ${end.status}`);
  return end.status === 0 ? undefined : npmFailure(end);
}

function registryFlags(): string[] {
  return [`--@jsr:registry=${process.env['STRIDELAB_JSR_REGISTRY'] || 'https://npm.jsr.io'}`];
}

/** Applies the settings of npm that the notebooks' folder has, such as a registry with its key. */
function copySettings(notebooks: string, folder: string): void {
  const from = join(notebooks, '.npmrc');
  const to = join(folder, '.npmrc');
  if (existsSync(from)) writeFileSync(to, readFileSync(from), { mode: 0o600 });
  else rmSync(to, { force: true });
}

function missingTypes(folder: string, dependencies: Ranges, known: Ranges): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of Object.keys(dependencies)) {
    const types = typesPackage(folder, name, versionIn(join(folder, 'node_modules', name)) ?? '');
    if (types !== undefined && known[types.name] === undefined) found[types.name] = types.range;
  }
  return found;
}

function inventoryOf(
  folder: string,
  dependencies: Ranges,
  types: Ranges,
  modules: Inventory['modules']
): Inventory {
  const packages: Record<string, InstalledPackage> = {};
  for (const [name, range] of Object.entries(dependencies)) {
    const version = versionIn(join(folder, 'node_modules', name));
    if (version !== undefined) packages[name] = { range, version };
  }
  const files = Object.keys(modules).map(module => [module, typesFile(folder, module)] as const);
  return { packages, types, modules: Object.fromEntries(files), tree: treeOf(packageLock(folder) ?? {}) };
}

function writeInventory(folder: string, inventory: Inventory): void {
  const draft = join(folder, `${INVENTORY_FILE}.draft`);
  writeFileSync(draft, JSON.stringify(inventory));
  renameSync(draft, join(folder, INVENTORY_FILE));
}
