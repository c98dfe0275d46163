/** `npm:` and `jsr:` imports: packages that npm installs into projects of the kernel's own. */

import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../protocol/folders.ts';
import { readLockFile, writeLockPart } from '../../protocol/lock-file.ts';
import {
  answers,
  chosenVersion,
  contains,
  NPM_LOCK_PART,
  NpmProjects,
  type NpmProject
} from '../../protocol/npm-projects.ts';
import {
  isPackageSpecifier,
  parsePackageSpecifier,
  type PackageSpecifier
} from '../../protocol/package-specifiers.ts';
import { MagicError } from '../magics/magic.ts';
import { CLEAR_LINE, toStdout } from '../magics/commands.ts';
import type { NpmFailure } from '../magics/npm-program.ts';
import {
  RemoteImportError,
  unwritableCache,
  type PlacedSpecifier,
  type RemoteScheme
} from '../modules/remote-scheme.ts';
import { withLock } from './folder-lock.ts';
import { addPackages, packageLock, recordModules } from './npm-project.ts';

interface Wanted extends PackageSpecifier {
  readonly specifier: string;
}

export class NpmScheme implements RemoteScheme {
  readonly #projects: NpmProjects;

  /** Constructs the scheme for the notebooks of a folder. */
  constructor(notebooks: string) {
    this.#projects = new NpmProjects(notebooks);
  }

  takes(specifier: string): boolean {
    return isPackageSpecifier(specifier);
  }

  async prepare(specifiers: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const wanted = specifiers.map(parse);
    try {
      if (this.#missing(wanted).length > 0) await this.#locked(signal, () => this.#install(wanted, signal));
    } catch (error) {
      throw this.#explained(error);
    }
    return [];
  }

  resolve(specifier: string): PlacedSpecifier | undefined {
    const wanted = parsePackageSpecifier(specifier);
    const project = wanted === undefined ? undefined : this.#projects.find(wanted);
    if (wanted === undefined || project === undefined) return undefined;
    const target = {
      specifier: wanted.name + wanted.path,
      parent: pathToFileURL(join(project.folder, 'cell.js')).href
    };
    return wanted.path === ''
      ? target
      : withExtension(target, join(project.folder, 'node_modules', wanted.name));
  }

  list(): readonly string[] {
    return this.#projects
      .all()
      .flatMap(({ folder, inventory }) =>
        Object.entries(inventory.packages).map(
          ([name, { version }]) => `npm:${name}@${version}  ${join(folder, 'node_modules', name)}`
        )
      );
  }

  lock(signal: AbortSignal): Promise<void> {
    return this.#locked(signal, () => Promise.resolve(this.#writeLock()));
  }

  clear(signal: AbortSignal): Promise<void> {
    return this.#locked(signal, async () => {
      for (const { folder } of this.#projects.all()) await rm(folder, { recursive: true, force: true });
    });
  }

  /** Returns what is not importable yet, or whose types are not known. */
  #missing(wanted: readonly Wanted[]): Wanted[] {
    return wanted.filter(each => this.#projects.typesOf(each) === undefined);
  }

  async #locked(signal: AbortSignal, work: () => Promise<void>): Promise<void> {
    const { root } = this.#projects;
    makeFolder(root, 0o700);
    let told = false;
    const waiting = (): void => {
      if (!told) toStdout('waiting for another installation for this folder …\n');
      told = true;
    };
    await withLock(join(root, 'lock'), signal, waiting, work);
  }

  async #install(wanted: readonly Wanted[], signal: AbortSignal): Promise<void> {
    // Another kernel may have installed some in the meantime.
    const missing = wanted.filter(each => this.#projects.find(each) === undefined);
    // Those with ranges choose first: any version will do for the others.
    let waiting = missing.sort((a, b) => Number(a.range === '') - Number(b.range === ''));
    for (let index = 0; waiting.length > 0; index += 1) {
      const { here, later } = share(this.#projects.project(index), waiting);
      waiting = [...later, ...(here.length === 0 ? [] : await this.#add(index, here, signal))];
    }
    for (const project of this.#projects.all()) {
      const modules = this.#missing(wanted).filter(
        each => this.#projects.find(each)?.folder === project.folder
      );
      if (modules.length > 0) recordModules(project, modules.map(moduleName));
    }
    if (missing.length > 0) this.#updateLock();
  }

  /** Adds packages to a project, and returns those whose dependencies contradict the packages that it has. */
  async #add(index: number, here: readonly Wanted[], signal: AbortSignal): Promise<readonly Wanted[]> {
    const project = this.#projects.project(index);
    toStdout(`${CLEAR_LINE}installing ${here.map(({ specifier }) => specifier).join(', ')} …`);
    const ranges = Object.fromEntries(here.map(({ name, range }) => [name, range || '*']));
    const failure = await addPackages(project, this.#projects.notebooks, ranges, signal).finally(() =>
      toStdout(CLEAR_LINE)
    );
    if (failure === undefined) return [];
    if (failure.kind !== 'conflict') throw failed(failure, here);
    if (here.length > 1) {
      const left: Wanted[] = [];
      for (const each of here) left.push(...(await this.#add(index, [each], signal)));
      return left;
    }
    if (Object.keys(project.inventory.packages).length === 0) throw failed(failure, here);
    return here;
  }

  /** Adds what was installed to the lockfile, if there is one. */
  #updateLock(): void {
    if (readLockFile(this.#projects.notebooks)?.[NPM_LOCK_PART] !== undefined) this.#writeLock();
  }

  #writeLock(): void {
    const locks = this.#projects.all().map(({ folder, lock }) => packageLock(folder) ?? lock);
    writeLockPart(this.#projects.notebooks, NPM_LOCK_PART, locks);
  }

  #explained(error: unknown): unknown {
    const { message } = error as Error;
    if (error instanceof RemoteImportError) return error;
    // npm cannot be started.
    if (error instanceof MagicError) {
      return new RemoteImportError(
        `npm: and jsr: imports are installed by npm, but ${message}. Install Node from https://nodejs.org, which contains npm, or add the folder of npm to the PATH with %env PATH=…`
      );
    }
    if (error instanceof SyntaxError) return new RemoteImportError(message);
    return unwritableCache(error);
  }
}

function parse(specifier: string): Wanted {
  const parts = parsePackageSpecifier(specifier);
  if (parts !== undefined) return { ...parts, specifier };
  const expected = specifier.startsWith('jsr:')
    ? 'jsr:@scope/name, jsr:@scope/name@range or jsr:@scope/name@range/path'
    : 'npm:name, npm:name@range or npm:@scope/name@range/path';
  throw new RemoteImportError(`${specifier} names no package: expected ${expected}`, specifier);
}

function moduleName({ name, path }: PackageSpecifier): string {
  return name + path;
}

/** Divides packages into those for this project, and those of which it has another version. */
function share(project: NpmProject, wanted: readonly Wanted[]): { here: Wanted[]; later: Wanted[] } {
  const { inventory, lock } = project;
  const taken = new Map(
    Object.entries({
      ...Object.fromEntries(Object.entries(inventory.packages).map(([name, { range }]) => [name, range])),
      ...lock?.packages?.['']?.dependencies
    })
  );
  const here: Wanted[] = [];
  const later: Wanted[] = [];
  for (const each of wanted) {
    const range = taken.get(each.name);
    const path = `node_modules/${each.name}`;
    // A dependency of another package, which may be loaded: npm would replace it.
    const placed = lock?.packages?.[path]?.version ?? inventory.tree[path];
    const fits =
      range === undefined
        ? placed === undefined || contains(each.range, placed)
        : answers(range, each.range) || chosenVersion(project, each) !== undefined;
    if (range === undefined && fits) taken.set(each.name, each.range || '*');
    // One entry for each package: the first has the narrowest range.
    if (!fits) later.push(each);
    else if (!here.some(({ name }) => name === each.name)) here.push(each);
  }
  return { here, later };
}

/** Replaces a path by the file that it means in a package without `exports`, where code from before ES modules omits the extension. */
function withExtension(target: PlacedSpecifier, folder: string): PlacedSpecifier {
  try {
    const { exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
      exports?: unknown;
    };
    if (exports !== undefined) return target;
    const file = createRequire(target.parent).resolve(target.specifier);
    return { ...target, specifier: pathToFileURL(file).href };
  } catch {
    // Node reports a path that the package does not have.
    return target;
  }
}

function failed({ kind, subject }: NpmFailure, wanted: readonly Wanted[]): RemoteImportError {
  const name = subject.replace(/(?<=.)@[^/]*$/, '');
  const atFault = wanted.find(each => each.name === name);
  const { specifier } = atFault ?? wanted[0]!;
  const all = wanted.map(each => each.specifier).join(', ');
  const needed = atFault === undefined ? `, which ${all} needs` : '';
  const shown = name.replace(/^@jsr\/(.+)__(.+)$/, 'jsr:@$1/$2');
  const message = {
    offline: `${all} cannot be installed: the registry cannot be reached (${subject}). What a notebook of this folder has imported before needs no network. Check the network and \`npm config get registry\``,
    'no-package': `The registry has no package ${shown}${needed}: check the name`,
    'no-version': `The registry has no version ${subject.slice(name.length + 1)} of ${shown}${needed}: \`%npm view ${name} versions\` lists the versions`,
    conflict: `${all} cannot be installed, because its dependencies contradict each other: ${subject}`,
    other: `npm could not install ${all}: ${subject}`
  }[kind];
  return new RemoteImportError(message, specifier);
}
