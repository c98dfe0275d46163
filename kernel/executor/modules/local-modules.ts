/**
 * Modules of the notebook's own, as opposed to those of packages: re-read when they, or modules that they import, have
 * changed on disk. A version in the URL makes Node reload a file, with the modules that import it.
 */

import { createRequire } from 'node:module';
import { realpathSync } from 'node:fs';
import { sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { fileStamp } from '../../protocol/file-stamp.ts';

interface LocalModule {
  version: number;
  /** Of the file when it was loaded. */
  stamp: string;
  readonly imports: Set<string>;
}

const PACKAGES = `${sep}node_modules${sep}`;
/** This package as it runs: its own modules never change. */
const OWN = fileURLToPath(new URL('../../../', import.meta.url));

/** Whether the path is of the user's own files. */
export function isLocal(path: string): boolean {
  return !path.includes(PACKAGES) && !isOwn(path);
}

export function isOwn(path: string): boolean {
  return path.startsWith(OWN);
}

export class LocalModules {
  readonly #modules = new Map<string, LocalModule>();
  /** Asked for since the last `settle`. */
  readonly #recent = new Set<string>();
  readonly #required = createRequire(import.meta.url).cache;

  /** The URL under which `importer` gets the file as it is now. */
  url(path: string, importer: string): string {
    const file = realpathSync(path);
    let module = this.#modules.get(file);
    if (module === undefined) {
      module = { version: 0, stamp: fileStamp(file), imports: new Set() };
      this.#modules.set(file, module);
    }
    this.#recent.add(file);
    this.#modules.get(importer)?.imports.add(file);
    const { href } = pathToFileURL(file);
    return module.version === 0 ? href : `${href}?v=${module.version}`;
  }

  /** Looks which files have changed; those and whatever imports them get a new version. Called when a cell imports. */
  refresh(): void {
    const changed: string[] = [];
    for (const [file, module] of this.#modules) {
      const stamp = fileStamp(file);
      if (stamp === module.stamp) continue;
      module.stamp = stamp;
      changed.push(file);
    }
    if (changed.length > 0) this.#renew(changed);
  }

  /** A cell has ended. Node keeps the failure of a module; what a failed cell imported is reloaded by the next import. */
  settle(failed: boolean): void {
    if (failed && this.#recent.size > 0) this.#renew(this.#recent);
    this.#recent.clear();
  }

  #renew(files: Iterable<string>): void {
    const stale = new Set(files);
    // Grows while it is walked: importers of importers.
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
