/** Lets cells import this kernel's own modules, from any folder. */

import { createRequire, registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ownSpecifier } from '../../../src/base/own-package.ts';
import { compiledFolder } from '../../protocol/own-files.ts';
import { CELL_GLOBALS, cellModule, DENO, isOwnPackage } from '../../protocol/cell-modules.ts';

export function resolveOwnLibrary(): void {
  registerHooks({
    resolve(specifier, context, nextResolve) {
      const file = moduleFile(specifier);
      if (file !== undefined) return { url: pathToFileURL(file).href, format: 'module', shortCircuit: true };
      // Other exports of this package are resolved from inside it: the notebook's folder does not have it.
      return isOwnPackage(specifier) && context.parentURL !== import.meta.url
        ? { url: import.meta.resolve(ownSpecifier(specifier)), shortCircuit: true }
        : nextResolve(specifier, context);
    }
  });
}

const require = createRequire(import.meta.url);

/** Returns `Deno`, which is loaded at the first use. */
export function loadDeno(): unknown {
  return (require(moduleFile('stridelab/deno')!) as Record<string, unknown>)[DENO];
}

/** Defines the globals of cells; each loads its module at its first use. */
export function defineCellGlobals(): void {
  for (const [name, specifier] of Object.entries(CELL_GLOBALS)) {
    Object.defineProperty(globalThis, name, {
      configurable: true,
      get: () => (require(moduleFile(specifier)!) as Record<string, unknown>)[name],
      // Code that defines a global of this name replaces it, as on any other platform.
      set: (value: unknown) =>
        Object.defineProperty(globalThis, name, {
          value,
          configurable: true,
          writable: true,
          enumerable: true
        })
    });
  }
}

function moduleFile(specifier: string): string | undefined {
  const module = cellModule(specifier);
  return module === undefined ? undefined : join(compiledFolder, `${module}.js`);
}
