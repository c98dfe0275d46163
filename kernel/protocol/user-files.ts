/** The user's files that cells import: where they may be, and whether they have changed. */

import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Extensions that imports may omit, in TypeScript's order. */
const ENDINGS = ['.ts', '.tsx', '.mts', '.cts', '.js', '.jsx', '.mjs', '.cjs', '.json'];
/** Source extensions for each extension of compiler output. */
const SOURCES: Readonly<Record<string, readonly string[]>> = {
  '.js': ['.ts', '.tsx', '.jsx'],
  '.jsx': ['.tsx'],
  '.mjs': ['.mts'],
  '.cjs': ['.cts']
};

/** Returns the files that the path of an import may refer to, in the order in which they are tried. */
export function filesFor(path: string): string[] {
  const ending = /\.[cm]?jsx?$/.exec(path)?.[0] ?? '';
  const stem = path.slice(0, path.length - ending.length);
  return [
    path,
    ...(SOURCES[ending] ?? []).map(source => stem + source),
    ...ENDINGS.map(added => path + added),
    ...ENDINGS.map(added => join(path, `index${added}`))
  ];
}

/** Returns a string that changes whenever the file or folder does; empty if it does not exist. */
export function stampOf(path: string): string {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats === undefined ? '' : `${stats.mtimeMs}:${stats.size}:${stats.ino}`;
}

/** Returns the folder and all folders above it. */
export function foldersFrom(folder: string): string[] {
  const parent = dirname(folder);
  return parent === folder ? [folder] : [folder, ...foldersFrom(parent)];
}

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
