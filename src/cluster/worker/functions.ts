/** Functions that arrive as source. */

import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { constants, Script } from 'node:vm';
import { ownSpecifier } from '../../base/own-package.ts';

/** The end of the file names that functions have in stacks. */
export const SOURCE_SUFFIX = '.task.js';

export type TaskFunction = (...values: unknown[]) => unknown;

/** The object that the notebook kernel's additions to a cell's `import()` refer to. */
const CELL_HELPERS = {
  module: (loaded: unknown): unknown => loaded,
  interrupted: false,
  never: undefined
};

/** Lets functions import this library, which need not be installed where they run. */
export function provideLibrary(): void {
  registerHooks({
    resolve: (specifier, context, next) =>
      specifier === 'stridelab' || specifier.startsWith('stridelab/')
        ? next(ownSpecifier(specifier), { ...context, parentURL: import.meta.url })
        : next(specifier, context)
  });
}

/** Compiles a function, whose imports are resolved from the working folder. @throws SyntaxError */
function compile(name: string, source: string): TaskFunction {
  const before = '(__stridelab => (';
  const script = new Script(`${before}${source}\n))`, {
    filename: join(process.cwd(), `${name}${SOURCE_SUFFIX}`),
    columnOffset: -before.length,
    importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER
  });
  return (script.runInThisContext() as (helpers: typeof CELL_HELPERS) => TaskFunction)(CELL_HELPERS);
}

/** The functions of this process by the SHA-256 of their source. */
export class TaskFunctions {
  readonly #functions = new Map<string, TaskFunction>();

  /** Returns a function; undefined if its source has not arrived. */
  find(digest: string): TaskFunction | undefined {
    return this.#functions.get(digest);
  }

  /** Adds a function and returns it. @throws SyntaxError */
  add(digest: string, name: string, source: string): TaskFunction {
    const compiled = compile(name, source);
    this.#functions.set(digest, compiled);
    return compiled;
  }
}
