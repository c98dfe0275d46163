/**
 * Modules of packages whose import was stopped by an interrupt. Node keeps a module as it is when its body is cut, and would give it, or a
 * promise that never settles, to every later import. They get another URL, under which Node reloads them.
 */

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export class StoppedImports {
  readonly #underWay = new Set<Promise<unknown>>();
  /** URLs of what was loaded since the last cell ended. */
  readonly #loaded = new Set<string>();
  readonly #versions = new Map<string, number>();
  readonly #required = createRequire(import.meta.url).cache;

  /** An import of a cell. */
  follow(loading: Promise<unknown>): void {
    this.#underWay.add(loading);
    const end = (): void => void this.#underWay.delete(loading);
    loading.then(end, end);
  }

  /** The module is being loaded. */
  note(url: string): void {
    this.#loaded.add(url.replace(VERSION, ''));
  }

  /** The URL under which a module is to be loaded. */
  url(resolved: string): string {
    const version = this.#versions.get(resolved);
    return version === undefined ? resolved : `${resolved}?stopped=${version}`;
  }

  /** A cell has ended. */
  settle(failed: boolean): void {
    if (failed) this.#forgetHalfRequired();
    if (failed && this.#underWay.size > 0) {
      for (const url of this.#loaded) {
        this.#versions.set(url, (this.#versions.get(url) ?? 0) + 1);
        delete this.#required[fileURLToPath(url)];
      }
      this.#underWay.clear();
    }
    this.#loaded.clear();
  }

  /** No cell runs: what is not loaded by now never will be. */
  #forgetHalfRequired(): void {
    for (const [file, module] of Object.entries(this.#required))
      if (module?.loaded === false) delete this.#required[file];
  }
}

const VERSION = /\?stopped=\d+$/;
