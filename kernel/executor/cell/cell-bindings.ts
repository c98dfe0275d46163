/** The object that a compiled cell gets as its `__stridelab` parameter. */

import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { didYouMean } from '../../../src/base/did-you-mean.ts';
import { loadDeno } from '../modules/module-hooks.ts';
import { endCurrentInterval, isInterrupted } from '../context/cell-context.ts';
import type { NotebookModules } from '../modules/notebook-modules.ts';
import type { NotebookNames } from '../transform/names.ts';
import type { DeclaredNames } from './declared-names.ts';

export type CellBindings = ReturnType<typeof cellBindings>;

/** Proxy that throws on assignment: compiled cells assign to it instead of a constant. */
const constants = new Proxy(Object.create(null) as object, {
  set(): never {
    throw new TypeError('Assignment to constant variable.');
  }
});

/** Names that `%reset` or a failed cell removed: compiled cells use it in their place. Globals of the same name are visible again. */
const forgotten = new Proxy(Object.create(null) as object, {
  get: (_target, name): unknown => Reflect.get(withName(name), name),
  set: (_target, name, value): boolean => Reflect.set(withName(name), name, value)
});

function withName(name: string | symbol): typeof globalThis {
  if (!(name in globalThis)) throw new ReferenceError(`${String(name)} is not defined`);
  return globalThis;
}

export function cellBindings(
  names: NotebookNames,
  declared: DeclaredNames,
  modules: NotebookModules,
  filename: string,
  result: (value: unknown) => void,
  stopIfAsked: () => void
) {
  const { resolve, module } = modules;
  return {
    /** Notebook names that are stored as properties. */
    names: names.properties,
    constants,
    forgotten,
    /** The real global object: a cell may declare `globalThis`. */
    global: globalThis,
    /** Records that a declaration has run. */
    set at(declaration: number) {
      declared.at = declaration;
    },
    /** `import.meta` of the cell, which acts as a file of the notebook's folder. */
    meta: { url: pathToFileURL(filename).href, filename, dirname: dirname(filename), main: false, resolve },
    /** `Deno`, for cells that name it. */
    get deno() {
      return loadDeno();
    },
    /** Makes the `import` of the cell. */
    module,
    /** Returns the exports that a static import names. */
    exportsOf: exportsOf.bind(null, names),
    /** Receives the value of the last expression. */
    result(value: unknown) {
      result(value);
      return value;
    },
    /** Does not return if the cell is asked to stop. */
    get checked(): undefined {
      stopIfAsked();
      return undefined;
    },
    /** Whether the running function belongs to a cell that was interrupted. */
    get interrupted(): boolean {
      return isInterrupted();
    },
    /** A new promise that never settles (a shared one would retain every waiting function). Also clears the function's interval. */
    get never(): Promise<never> {
      endCurrentInterval();
      return new Promise(() => {});
    }
  };
}

/** Returns the wanted exports. `types` maps exports that may be types, and so missing, to their notebook names. @throws SyntaxError */
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
  return name in module || name in wholeOf(module);
}

/** Returns what a CommonJS module exports as a whole, which may be a function with members; an empty object for other modules. */
function wholeOf(module: Record<string, unknown>): Record<string, unknown> {
  const whole = module['module.exports'];
  const hasMembers = (typeof whole === 'object' && whole !== null) || typeof whole === 'function';
  return hasMembers ? (whole as Record<string, unknown>) : {};
}

function exportOf(module: Record<string, unknown>, specifier: string, name: string): unknown {
  if (name in module) return module[name];
  // Members that a CommonJS module computes are known only after it has run.
  const whole = wholeOf(module);
  if (name in whole) return whole[name];
  const guess = didYouMean(name, Object.keys(module));
  throw new SyntaxError(
    `The requested module '${specifier}' does not provide an export named '${name}'${guess}`
  );
}
