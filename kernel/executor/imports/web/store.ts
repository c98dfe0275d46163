/** The modules from the web that are on disk, by URL. A module stays as it was first fetched. */

import { createHash, randomUUID } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../../../protocol/folders.ts';
import { webEntryFile, webFolder, webPath } from '../../../protocol/web-files.ts';
import { declarationPath, isDeclaration, withEnding, type ModuleEnding } from './media.ts';

export interface WebModule {
  readonly url: string;
  readonly ending: ModuleEnding;
  /** SHA-256 of the bytes that the server sent, in hexadecimal. */
  readonly sha256: string;
  /** URL of its types, if the server names one. */
  readonly types?: string | undefined;
}

export interface WebRedirect {
  readonly url: string;
  readonly to: string;
}

export type WebEntry = WebModule | WebRedirect;

/** The most redirects that are followed, as in browsers. */
export const MAX_REDIRECTS = 20;

export class WebStore {
  readonly #entries = new Map<string, WebEntry>();

  /** Returns what is known of a URL; undefined if it was never fetched. */
  get(url: string): WebEntry | undefined {
    const known = this.#entries.get(url);
    if (known !== undefined) return known;
    try {
      const entry = JSON.parse(readFileSync(webEntryFile(url), 'utf8')) as WebEntry;
      if (!('to' in entry) && !existsSync(webFile(entry))) return undefined;
      this.#entries.set(url, entry);
      return entry;
    } catch {
      return undefined;
    }
  }

  /** Returns the module that a URL leads to, after redirects; undefined if it was never fetched. */
  module(url: string): WebModule | undefined {
    let entry = this.get(url);
    for (let count = 0; entry !== undefined && 'to' in entry; count++) {
      if (count === MAX_REDIRECTS) return undefined;
      entry = this.get(entry.to);
    }
    return entry;
  }

  /** Keeps a module. `text` may differ from what the server sent in specifiers that are paths. */
  add(module: WebModule, text: string): void {
    write(webFile(module), text);
    if (module.types !== undefined && !isDeclaration(module.ending)) declare(module.url, module.types);
    this.#keep(module);
  }

  redirect(redirect: WebRedirect): void {
    declare(redirect.url, redirect.to);
    this.#keep(redirect);
  }

  /** Called when the files were deleted. */
  clear(): void {
    this.#entries.clear();
  }

  /** Written last: an entry says that its file is there. */
  #keep(entry: WebEntry): void {
    write(webEntryFile(entry.url), JSON.stringify(entry));
    this.#entries.set(entry.url, entry);
  }
}

export function digestOf(content: Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

/** Returns the file of a module. */
export function webFile({ url, ending }: WebModule): string {
  return join(webFolder(), withEnding(webPath(url), ending));
}

/** Lets TypeScript find the types of a URL at another one. */
function declare(url: string, types: string): void {
  // The extension of a declaration file is not part of an import.
  const from = JSON.stringify(
    types.replace(/\.d\.(m?)ts$/, (_ending, m: string) => (m === '' ? '' : '.mjs'))
  );
  write(
    declarationPath(join(webFolder(), webPath(url))),
    `import types = require(${from});\nexport = types;\n`
  );
}

/** Writes a file at once, also for other kernels. */
function write(file: string, text: string): void {
  makeFolder(dirname(file), 0o700);
  const draft = `${file}.${randomUUID()}`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, file);
}
