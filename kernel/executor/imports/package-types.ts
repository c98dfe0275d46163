/** Finds the files with the types of packages, as TypeScript resolves imports of cells. */

import { realpathSync } from 'node:fs';
import { join, relative } from 'node:path';
import type ts from 'typescript';
import { major, valid } from 'semver';
import { loadCompiler } from '../transform/compiler.ts';

const CODE = /\.(?:[cm]?jsx?|json|node)$/;

/**
 * Returns the file with the types of a module, relative to the project; the file with its code if it has no types, and null if it
 * has neither.
 */
export function typesFile(project: string, module: string): string | null {
  const compiler = loadCompiler();
  const options: ts.CompilerOptions = {
    module: compiler.ModuleKind.Preserve,
    moduleResolution: compiler.ModuleResolutionKind.Bundler,
    resolveJsonModule: true
  };
  const importer = join(project, 'cell.ts');
  const { resolvedModule } = compiler.resolveModuleName(
    module,
    importer,
    options,
    compiler.sys,
    undefined,
    undefined,
    compiler.ModuleKind.ESNext
  );
  return resolvedModule === undefined
    ? null
    : relative(realpathSync(project), resolvedModule.resolvedFileName);
}

/** Returns the package that may have the types of another one, and the range of its versions; undefined if none is needed. */
export function typesPackage(
  project: string,
  name: string,
  version: string
): { readonly name: string; readonly range: string } | undefined {
  // JSR generates types of its packages.
  if (/^@(?:types|jsr)\//.test(name)) return undefined;
  const file = typesFile(project, name);
  if (file !== null && !CODE.test(file)) return undefined;
  // Types have the major version of their package, or of the last one that they were written for.
  const range = valid(version) === null ? '*' : `<${major(version) + 1}`;
  return { name: `@types/${name.replace(/^@(.+)\/(.+)$/, '$1__$2')}`, range };
}
