/** The part of the lockfile for modules from the web: what each URL is. */

import { LOCK_FILE, readLockFile, writeLockPart } from '../../../protocol/lock-file.ts';
import { RemoteImportError } from '../../modules/remote-scheme.ts';
import type { WebEntry } from './store.ts';

const PART = 'web';

/** By URL: the SHA-256 of a module, or the URL that another one leads to. */
type LockedEntries = Readonly<Record<string, { readonly sha256: string } | { readonly to: string }>>;

export class WebLock {
  readonly #notebooks: string;
  readonly #locked: LockedEntries | undefined;

  /** Reads the lockfile of a folder. Throws `SyntaxError` if it is malformed. */
  constructor(notebooks: string) {
    this.#notebooks = notebooks;
    this.#locked = readLockFile(notebooks)?.[PART] as LockedEntries | undefined;
  }

  /** Refuses a module that is not the locked one. Throws `RemoteImportError`. */
  check(entry: WebEntry): void {
    const { url } = entry;
    if (this.#locked === undefined || !Object.hasOwn(this.#locked, url)) return;
    if (JSON.stringify(this.#locked[url]) === JSON.stringify(lockedOf(entry))) return;
    const is = 'to' in entry ? `it leads to ${entry.to}` : `its SHA-256 is ${entry.sha256}`;
    throw new RemoteImportError(
      `${url} is not the module in ${LOCK_FILE}: ${is}. The server may send something else by now. To accept it, remove its line from that file`
    );
  }

  /** Writes the entries beside those that are locked. */
  write(entries: Iterable<WebEntry>): void {
    const added = Object.fromEntries([...entries].map(entry => [entry.url, lockedOf(entry)]));
    const all = Object.entries({ ...this.#locked, ...added }).sort(([a], [b]) => (a < b ? -1 : 1));
    writeLockPart(this.#notebooks, PART, Object.fromEntries(all));
  }

  /** Adds entries that the lockfile lacks, if there is one. */
  update(entries: Iterable<WebEntry>): void {
    const locked = this.#locked;
    if (locked === undefined) return;
    const missing = [...entries].filter(({ url }) => !Object.hasOwn(locked, url));
    if (missing.length > 0) this.write(missing);
  }
}

function lockedOf(entry: WebEntry): LockedEntries[string] {
  return 'to' in entry ? { to: entry.to } : { sha256: entry.sha256 };
}
