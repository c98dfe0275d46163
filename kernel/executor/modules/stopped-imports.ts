/** Gives modules whose import an interrupt stopped a new URL: Node would return them half loaded to every later import. */

import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

export class StoppedImports {
  readonly #underWay = new Set<Promise<unknown>>();
  /** URLs loaded since the last cell ended. */
  readonly #loaded = new Set<string>();
  readonly #versions = new Map<string, number>();
  readonly #required = createRequire(import.meta.url).cache;

  follow(loading: Promise<unknown>): void {
    this.#underWay.add(loading);
    const end = (): void => void this.#underWay.delete(loading);
    loading.then(end, end);
  }

  note(url: string): void {
    this.#loaded.add(url.replace(VERSION, ''));
  }

  /** Returns the URL under which to load a module. */
  url(resolved: string): string {
    const version = this.#versions.get(resolved);
    return version === undefined ? resolved : `${resolved}?stopped=${version}`;
  }

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

  /** Forgets modules that are half loaded: while no cell runs, they never complete. */
  #forgetHalfRequired(): void {
    for (const [file, module] of Object.entries(this.#required))
      if (module?.loaded === false) delete this.#required[file];
  }
}

const VERSION = /\?stopped=\d+$/;
