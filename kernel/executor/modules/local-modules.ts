/** The user's own modules: a version in the URL makes Node reload those that changed on disk, and all that import them. */

import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { pathToFileURL } from 'node:url';
import { compiledFolder } from '../../protocol/own-files.ts';
import { stampOf } from '../../protocol/user-files.ts';

interface LocalModule {
  version: number;
  /** Stamp of the file when it was loaded. */
  stamp: string;
  readonly imports: Set<string>;
}

const PACKAGES = `${sep}node_modules${sep}`;
/** The running copy of this package, whose modules never change. */
const OWN = compiledFolder + sep;

/** Returns whether the path is one of the user's own files. */
export function isLocal(path: string): boolean {
  return !path.includes(PACKAGES) && !isOwn(path);
}

export function isOwn(path: string): boolean {
  return path.startsWith(OWN);
}

export class LocalModules {
  readonly #modules = new Map<string, LocalModule>();
  /** Modules requested since the last `settle`. */
  readonly #recent = new Set<string>();
  readonly #required = createRequire(import.meta.url).cache;

  /** Returns the URL under which `importer` gets the current version of the file. */
  url(path: string, importer: string): string {
    const file = realpathSync(path);
    let module = this.#modules.get(file);
    if (module === undefined) {
      module = { version: 0, stamp: stampOf(file), imports: new Set() };
      this.#modules.set(file, module);
    }
    this.#recent.add(file);
    this.#modules.get(importer)?.imports.add(file);
    const { href } = pathToFileURL(file);
    return module.version === 0 ? href : `${href}?v=${module.version}`;
  }

  /** Gives changed files, and all their importers, a new version. Called when a cell imports. */
  refresh(): void {
    const changed: string[] = [];
    for (const [file, module] of this.#modules) {
      const stamp = stampOf(file);
      if (stamp === module.stamp) continue;
      module.stamp = stamp;
      changed.push(file);
    }
    if (changed.length > 0) this.#renew(changed);
  }

  /** Called when a cell has ended. Node caches failures, so the imports of a failed cell are reloaded next time. */
  settle(failed: boolean): void {
    if (failed && this.#recent.size > 0) this.#renew(this.#recent);
    this.#recent.clear();
  }

  #renew(files: Iterable<string>): void {
    const stale = new Set(files);
    // The set grows during the iteration: importers of importers.
    for (const file of stale) {
      for (const [importer, { imports }] of this.#modules) if (imports.has(file)) stale.add(importer);
    }
    for (const file of stale) {
      const module = this.#modules.get(file)!;
      module.version += 1;
      module.imports.clear();
      delete this.#required[file];
    }
  }
}
