/** Fetches modules and all that they import, as far as they are not on disk. */

import { readFileSync } from 'node:fs';
import { isWebUrl, withoutFragment } from '../../../protocol/web-files.ts';
import { RemoteImportError } from '../../modules/remote-scheme.ts';
import { download } from './download.ts';
import type { WebLock } from './lock.ts';
import { isDeclaration } from './media.ts';
import { specifiersIn, withUrls } from './specifiers.ts';
import { Slots } from './slots.ts';
import { digestOf, MAX_REDIRECTS, webFile, type WebEntry, type WebModule, type WebStore } from './store.ts';

/** The most requests at a time. */
const AT_ONCE = 16;

export interface Fetching {
  readonly signal: AbortSignal;
  readonly lock: WebLock;
  /** Called after each module that came from the network. */
  fetched(url: string, bytes: number): void;
}

interface Job {
  readonly url: string;
  /** The specifier in the user's code that leads here. */
  readonly root: string;
  readonly importer: string | undefined;
  /** Whether only types need it: the cell runs without them. */
  readonly optional: boolean;
  /** The URLs that redirected here. */
  readonly trail: readonly string[];
}

function firstJob(root: string): Job {
  if (!URL.canParse(root)) throw new RemoteImportError(`${root} is not a URL`, root);
  return { url: withoutFragment(root), root, importer: undefined, optional: false, trail: [] };
}

function redirected(job: Job, to: string): Job[] {
  const trail = [...job.trail, job.url];
  if (trail.length <= MAX_REDIRECTS && !trail.includes(to)) return [{ ...job, url: to, trail }];
  throw new RemoteImportError(`Cannot fetch ${job.url}: it redirects in a circle`, job.root);
}

/** The modules that are complete: each is on disk, and so is all that it imports. */
export class WebGraph {
  readonly #slots = new Slots(AT_ONCE);
  readonly #store: WebStore;
  readonly #complete = new Set<string>();
  readonly #entries = new Map<string, WebEntry>();
  readonly #others = new Set<string>();

  constructor(store: WebStore) {
    this.#store = store;
  }

  /** The modules and redirects that this session needs. */
  get entries(): readonly WebEntry[] {
    return [...this.#entries.values()];
  }

  /** Specifiers in these modules that are not URLs, such as `npm:zod`. */
  get others(): readonly string[] {
    return [...this.#others];
  }

  clear(): void {
    this.#complete.clear();
    this.#entries.clear();
  }

  /** Fetches what is missing of some modules. Throws `RemoteImportError`. */
  async complete(urls: readonly string[], fetching: Fetching): Promise<void> {
    const seen = new Set<string>();
    const failed = new AbortController();
    const run = { ...fetching, signal: AbortSignal.any([fetching.signal, failed.signal]) };
    const visit = async (job: Job): Promise<void> => {
      const key = `${job.optional ? 'types' : 'code'} ${job.url}`;
      if (seen.has(key) || this.#complete.has(key)) return;
      seen.add(key);
      await Promise.all((await this.#visit(job, run)).map(visit));
    };
    try {
      await Promise.all(urls.map(url => visit(firstJob(url))));
    } catch (error) {
      failed.abort();
      throw error;
    }
    for (const key of seen) this.#complete.add(key);
  }

  /** Returns what the module of a job imports. */
  async #visit(job: Job, fetching: Fetching): Promise<readonly Job[]> {
    const { url, root, importer } = job;
    let entry: WebEntry;
    try {
      entry = this.#store.get(url) ?? (await this.#fetch(url, fetching));
      fetching.lock.check(entry);
    } catch (error) {
      fetching.signal.throwIfAborted();
      if (job.optional) return [];
      if (!(error instanceof RemoteImportError)) throw error;
      const whose = importer === undefined ? '' : ` (imported by ${importer})`;
      throw new RemoteImportError(`${error.message}${whose}`, root);
    }
    this.#entries.set(url, entry);
    if ('to' in entry) return redirected(job, entry.to);
    const next = this.#imports(entry, job);
    if (entry.types !== undefined)
      next.push({ url: entry.types, root, importer: url, optional: true, trail: [] });
    return next;
  }

  async #fetch(url: string, fetching: Fetching): Promise<WebEntry> {
    const found = await this.#slots.run(() => download(url, fetching.signal));
    if ('to' in found) {
      this.#store.redirect(found);
      return found;
    }
    const { ending, content, types } = found;
    const module: WebModule = { url, ending, sha256: digestOf(content), types };
    // What is on disk may run.
    fetching.lock.check(module);
    this.#store.add(module, withUrls(new TextDecoder().decode(content), ending, url));
    fetching.fetched(url, content.length);
    return module;
  }

  #imports(module: WebModule, { root, optional }: Job): Job[] {
    const { url, ending } = module;
    const jobs: Job[] = [];
    for (const specifier of specifiersIn(readFileSync(webFile(module), 'utf8'), ending)) {
      if (isWebUrl(specifier) || /^\.{0,2}\//.test(specifier)) {
        if (!URL.canParse(specifier, url)) continue;
        const target = withoutFragment(new URL(specifier, url).href);
        const typesOnly = optional || isDeclaration(ending);
        jobs.push({ url: target, root, importer: url, optional: typesOnly, trail: [] });
      } else if (!isDeclaration(ending)) {
        this.#others.add(specifier);
      }
    }
    return jobs;
  }
}
