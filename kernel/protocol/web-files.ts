/** Where modules that are imported by URL are kept: the executor runs them, and the TypeScript server reads their types. */

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { importCache } from './import-cache.ts';

/** File-name bytes of a part of a URL; Linux allows 255, and an extension may follow. */
const MAX_PART = 200;

export function isWebUrl(specifier: string): boolean {
  return /^https?:\/\//i.test(specifier);
}

/** Returns the folder of all modules from the web. */
export function webFolder(): string {
  return join(importCache(), 'web');
}

/** Returns the compiler's `paths` for URLs. `webPath` puts a module where its URL says, so that one pattern finds all. */
export function webPaths(): Record<string, string[]> {
  return Object.fromEntries(
    ['https', 'http'].map(scheme => [`${scheme}://*`, [join(webFolder(), scheme, '*')]])
  );
}

/** Returns the path of a module in the folder, without the extension that tells what it is. Fragments do not count. */
export function webPath(address: string): string {
  const { protocol, host, pathname, search } = new URL(address);
  const path = pathname.endsWith('/') ? `${pathname}index` : pathname;
  // A query may hold slashes, which must not become folders.
  const parts = `${host}${path}${search.replaceAll('/', '%2F')}`.split('/').map(shortened);
  return join(protocol.slice(0, -1), ...parts);
}

/** Returns the file that says what a URL is; it exists once the URL was fetched. */
export function webEntryFile(url: string): string {
  return join(webFolder(), 'entries', `${createHash('sha256').update(url).digest('hex')}.json`);
}

/** Returns the file, without its extension, of a URL that was fetched; undefined for others. */
export function fetchedFile(specifier: string): string | undefined {
  if (!URL.canParse(specifier)) return undefined;
  const url = withoutFragment(specifier);
  return existsSync(webEntryFile(url)) ? join(webFolder(), webPath(url)) : undefined;
}

/** Returns the normal form of a URL. A fragment names no other module. */
export function withoutFragment(address: string): string {
  const url = new URL(address);
  url.hash = '';
  return url.href;
}

function shortened(part: string): string {
  if (Buffer.byteLength(part) <= MAX_PART) return part;
  return `${part.slice(0, MAX_PART / 2)}-${createHash('sha256').update(part).digest('hex')}`;
}
