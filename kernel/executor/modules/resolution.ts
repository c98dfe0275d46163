/** Which file a specifier of the user's own code means, where TypeScript has more to say than Node. */

import { statSync } from 'node:fs';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What may be left out, in TypeScript's order. */
const ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
/** A name of the compiler's output stands for its source. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts']
};

/** The file that a path of a specifier means; undefined where there is none. */
export function fileAt(path: string): string | undefined {
  if (isFile(path)) return path;
  const ending = /\.[cm]?jsx?$/.exec(path)?.[0];
  const stem = ending === undefined ? path : path.slice(0, -ending.length);
  for (const source of SOURCES[ending ?? ''] ?? []) if (isFile(stem + source)) return stem + source;
  for (const added of ENDINGS) if (isFile(path + added)) return path + added;
  for (const added of ENDINGS) if (isFile(join(path, `index${added}`))) return join(path, `index${added}`);
  return undefined;
}

/** The path that a relative or absolute specifier or a file URL names; undefined for packages and other URLs. */
export function pathOf(specifier: string, importer: string): string | undefined {
  if (specifier.startsWith('file:')) return fileURLToPath(specifier);
  const path = specifier.replace(/[?#].*$/, '');
  if (isAbsolute(path)) return path;
  return /^\.\.?(?:\/|$)/.test(path) ? resolve(dirname(importer), decode(path)) : undefined;
}

/** A specifier is a URL reference: a file whose name has a per cent sign is written with `%25`, or as it is. */
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
