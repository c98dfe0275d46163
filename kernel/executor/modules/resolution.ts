/** Resolves specifiers in the user's code where TypeScript's rules go beyond Node's. */

import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Extensions that may be omitted, in TypeScript's order. */
const ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
/** Source extensions for each extension of compiler output. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts']
};

/** Returns the file that a specifier's path refers to; undefined if there is none. */
export function fileAt(path: string): string | undefined {
  if (isFile(path)) return path;
  const ending = /\.[cm]?jsx?$/.exec(path)?.[0];
  const stem = ending === undefined ? path : path.slice(0, -ending.length);
  for (const source of SOURCES[ending ?? ''] ?? []) if (isFile(stem + source)) return stem + source;
  for (const added of ENDINGS) if (isFile(path + added)) return path + added;
  for (const added of ENDINGS) if (isFile(join(path, `index${added}`))) return join(path, `index${added}`);
  return undefined;
}

/** Returns the path of a relative or absolute specifier or a file URL; undefined for packages and other URLs. */
export function pathOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('file:')) return fileURLToPath(specifier);
  const path = specifier.replace(/[?#].*$/, '');
  if (isAbsolute(path)) return path;
  return /^\.\.?(?:\/|$)/.test(path) ? resolve(dirname(importer), decode(path)) : undefined;
}

/** Decodes a specifier, which is a URL reference: a per cent sign in a file name is written as `%25`, or literally. */
function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
