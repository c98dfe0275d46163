/** What the user's own files import, which a cell that imports them needs too. */

import { readFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { dirname, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';
import { isLocal } from '../../executor/modules/local-modules.ts';
import { isJavaScript, isTypeScript } from '../../executor/modules/typescript-modules.ts';
import { cellModule } from '../../protocol/cell-modules.ts';
import { filesFor, isFile } from '../../protocol/user-files.ts';

export interface ImportOfFile {
  readonly file: string;
  readonly specifier: string;
  /** Whether the module was found: not the case for remote ones. */
  readonly found: boolean;
}

/** Returns what a file and the user's files below it import statically. `seen` gets their paths. */
export function importsBelow(file: string, seen: Set<string>): ImportOfFile[] {
  if (seen.has(file) || !isLocal(file) || !(isTypeScript(file) || isJavaScript(file))) return [];
  seen.add(file);
  return specifiersIn(file).flatMap(specifier => {
    if (!specifier.startsWith('.')) return [{ file, specifier, found: isFound(specifier, file) }];
    const path = filesFor(resolve(dirname(file), specifier)).find(isFile);
    return path === undefined ? [{ file, specifier, found: false }] : importsBelow(path, seen);
  });
}

function specifiersIn(file: string): string[] {
  const { module } = parseSync(file, readFileSync(file, 'utf8'), { sourceType: 'module' });
  const imported = module.staticImports
    .filter(({ entries }) => entries.length === 0 || entries.some(({ isType }) => !isType))
    .map(({ moduleRequest }) => moduleRequest.value);
  const exported = module.staticExports
    .flatMap(({ entries }) => entries)
    .flatMap(({ isType, moduleRequest }) => (isType || moduleRequest === null ? [] : [moduleRequest.value]));
  return [...new Set([...imported, ...exported])];
}

function isFound(specifier: string, file: string): boolean {
  if (isBuiltin(specifier) || cellModule(specifier) !== undefined) return true;
  try {
    createRequire(file).resolve(specifier);
    return true;
  } catch (error) {
    // Other errors: the package is there, but not for `require`.
    return (error as NodeJS.ErrnoException).code !== 'MODULE_NOT_FOUND';
  }
}
