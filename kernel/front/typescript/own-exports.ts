/** The names that the library's modules export: offered to cells that have not imported them. */

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { CELL_MODULES, IMPORTABLE_MODULES } from '../../protocol/cell-modules.ts';
import { parseSync } from '../../protocol/oxc.ts';
import { compiledFolder } from '../../protocol/own-files.ts';

let known: ReadonlyMap<string, string> | undefined;

/** Returns a map from name to the specifier of its module; read once, in a few milliseconds. */
export function ownExports(): ReadonlyMap<string, string> {
  if (known !== undefined) return known;
  const names = new Map<string, string>();
  // A name exported by several modules is taken from the first.
  for (const specifier of IMPORTABLE_MODULES) {
    for (const name of exportsOf(join(compiledFolder, `${CELL_MODULES[specifier]}.d.ts`))) {
      if (!names.has(name)) names.set(name, specifier);
    }
  }
  known = names;
  return names;
}

function exportsOf(path: string): string[] {
  const { module } = parseSync(path, readFileSync(path, 'utf8'), { lang: 'dts' });
  const entries = module.staticExports.flatMap(statement => statement.entries);
  return entries.flatMap(({ exportName, isType, moduleRequest }) => {
    if (isType) return [];
    if (exportName.name !== null) return [exportName.name];
    // `export * from`, which gives the path of the module in these files.
    return moduleRequest === null
      ? []
      : exportsOf(join(dirname(path), moduleRequest.value.replace(/\.[jt]s$/, '.d.ts')));
  });
}
