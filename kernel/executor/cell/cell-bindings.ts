/** What a compiled cell finds in its `__stridelab` parameter. */

import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean } from '../../../src/base/did-you-mean.ts';
import { endCurrentInterval, isInterrupted } from '../context/cell-context.ts';
import type { NotebookModules } from '../modules/notebook-modules.ts';
import type { NotebookNames } from '../transform/names.ts';

export interface CellBindings {
  /** Notebook names that are kept as properties. */
  readonly names: Record<string, unknown>;
  /** Assignments to constants are compiled to assignments here, which throw. */
  readonly constants: object;
  /** Uses of names that `%reset` took away are compiled to uses of this, which throw. */
  readonly forgotten: object;
  /** `import.meta`: a file of the notebook's folder. */
  readonly meta: {
    readonly url: string;
    readonly filename: string;
    readonly dirname: string;
    readonly main: boolean;
    resolve(specifier: string): string;
  };
  /** Every `import()` of the cell goes through this. */
  module<Module>(loading: Promise<Module>): Promise<Module>;
  /** `types`: what may be missing, because it can only be a type, by the names of the notebook. */
  exportsOf(
    module: Record<string, unknown>,
    specifier: string,
    wanted: readonly string[],
    types?: Readonly<Record<string, string>>
  ): Record<string, unknown>;
  /** Called with the value of the last expression. */
  result(value: unknown): unknown;
  /** Whether the running function belongs to a cell that was interrupted. */
  readonly interrupted: boolean;
  /** Never settles, and is not shared: it would keep every function that waits for it. Clears the interval of the function. */
  readonly never: Promise<never>;
}

const constants = new Proxy(Object.create(null) as object, {
  set(): never {
    throw new TypeError('Assignment to constant variable.');
  }
});

const forgotten = new Proxy(Object.create(null) as object, {
  get: (_target, name): never => missing(name),
  set: (_target, name): never => missing(name)
});

function missing(name: string | symbol): never {
  throw new ReferenceError(`${String(name)} is not defined`);
}

export function cellBindings(
  names: NotebookNames,
  modules: NotebookModules,
  filename: string,
  result: (value: unknown) => void
): CellBindings {
  const { resolve, module } = modules;
  return {
    names: names.properties,
    constants,
    forgotten,
    meta: { url: pathToFileURL(filename).href, filename, dirname: dirname(filename), main: false, resolve },
    module,
    exportsOf: (module, specifier, wanted, types) => exportsOf(names, module, specifier, wanted, types),
    result(value) {
      result(value);
      return value;
    },
    get interrupted() {
      return isInterrupted();
    },
    get never(): Promise<never> {
      endCurrentInterval();
      return new Promise(() => {});
    }
  };
}

/** The exports that a static import names. Throws `SyntaxError` for one that is not there, as a static import would. */
function exportsOf(
  names: NotebookNames,
  module: Record<string, unknown>,
  specifier: string,
  wanted: readonly string[],
  types: Readonly<Record<string, string>> = {}
): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const name of wanted) {
    if (Object.hasOwn(types, name) && !hasExport(module, name)) names.forget([types[name]!]);
    else found[name] = exportOf(module, specifier, name);
  }
  return found;
}

function hasExport(module: Record<string, unknown>, name: string): boolean {
  const whole = module['module.exports'];
  return name in module || (typeof whole === 'object' && whole !== null && name in whole);
}

function exportOf(module: Record<string, unknown>, specifier: string, name: string): unknown {
  if (name in module) return module[name];
  // Members that a CommonJS module computes are only known once it ran.
  const whole = module['module.exports'];
  if (typeof whole === 'object' && whole !== null && name in whole)
    return (whole as Record<string, unknown>)[name];
  const guess = didYouMean(name, Object.keys(module));
  throw new SyntaxError(
    `The requested module '${specifier}' does not provide an export named '${name}'${guess}`
  );
}
