/** Imports by URL: `https:`, and `http:` from this machine. Modules keep their URLs. */

import { rm } from 'node:fs/promises';
import { isBuiltin } from 'node:module';
import { isWebUrl, webFolder, withoutFragment } from '../../../protocol/web-files.ts';
import {
  RemoteImportError,
  unwritableCache,
  type RemoteScheme,
  type RemoteTarget
} from '../../modules/remote-scheme.ts';
import { FetchedModules } from './fetched-modules.ts';
import { WebGraph } from './graph.ts';
import { WebLock } from './lock.ts';
import { webFile, WebStore } from './store.ts';

export class WebScheme implements RemoteScheme {
  readonly #notebooks: string;
  readonly #store = new WebStore();
  readonly #graph = new WebGraph(this.#store);

  /** Constructs the scheme for the notebooks of a folder. */
  constructor(notebooks: string) {
    this.#notebooks = notebooks;
  }

  takes(specifier: string): boolean {
    return isWebUrl(specifier);
  }

  async prepare(urls: readonly string[], signal: AbortSignal): Promise<readonly string[]> {
    const lock = this.#lock();
    const report = new FetchedModules();
    try {
      await this.#graph.complete(urls, { signal, lock, fetched: (url, bytes) => report.add(url, bytes) });
    } catch (error) {
      throw unwritableCache(error);
    } finally {
      report.end();
    }
    lock.update(this.#graph.entries);
    return this.#graph.others;
  }

  resolve(specifier: string, parent: string): RemoteTarget | undefined {
    const wanted = urlOf(specifier, parent);
    const found = wanted === undefined ? undefined : this.#store.module(wanted);
    return found === undefined ? undefined : { url: found.url };
  }

  file(url: string): string | undefined {
    const found = isWebUrl(url) ? this.#store.module(url) : undefined;
    return found === undefined ? undefined : webFile(found);
  }

  list(): readonly string[] {
    return this.#graph.entries.flatMap(entry => ('to' in entry ? [] : [`${entry.url}  ${webFile(entry)}`]));
  }

  lock(): Promise<void> {
    return Promise.resolve(this.#lock().write(this.#graph.entries));
  }

  async clear(): Promise<void> {
    await rm(webFolder(), { recursive: true, force: true });
    this.#graph.clear();
    this.#store.clear();
  }

  #lock(): WebLock {
    try {
      return new WebLock(this.#notebooks);
    } catch (error) {
      throw error instanceof SyntaxError ? new RemoteImportError(error.message) : error;
    }
  }
}

/** Returns the URL that a specifier names in a module; undefined if it names no module from the web. Throws `RemoteImportError`. */
function urlOf(specifier: string, parent: string): string | undefined {
  const below = isWebUrl(parent);
  if (isWebUrl(specifier) || (below && /^\.{0,2}\//.test(specifier))) {
    return withoutFragment(new URL(specifier, parent).href);
  }
  if (below && specifier.startsWith('file:'))
    throw new RemoteImportError(`${parent} cannot import a file of this machine, ${specifier}`, specifier);
  if (below && !isBuiltin(specifier) && !/^\w+:/.test(specifier)) {
    throw new RemoteImportError(
      `${parent} cannot import "${specifier}": a module from the web names others by URL, npm: or jsr:`,
      specifier
    );
  }
  return undefined;
}
