/** The names that a function uses without defining them: they do not exist where its source runs. */

import * as acorn from 'acorn';
import { analyze } from 'eslint-scope';

import { ClusterError } from './errors.ts';
import * as notebook from '../notebook/index.ts';
import { notebookHost } from '../notebook/host.ts';

/** Names that the notebook kernel adds to the source of a cell. */
const ADDED = ['__stridelab', 'arguments', 'undefined'];

/** Returns whether workers have this global: one of Node's, which neither the notebook nor the program has defined. */
function isGlobal(name: string): boolean {
  if (ADDED.includes(name)) return true;
  if (!(name in globalThis) || name in notebook) return false;
  return !Object.hasOwn(notebookHost()?.variables?.() ?? {}, name);
}

/** Returns the free names of a function's source that are not globals. @throws ClusterError if the source is not that of a function */
export function freeNames(source: string): string[] {
  let program: acorn.Program;
  try {
    program = acorn.parse(`(${source}\n)`, { ecmaVersion: 'latest', ranges: true });
  } catch (error) {
    throw new ClusterError(
      `only a function or an arrow function can run on a cluster, not a method or a built-in one: ${(error as Error).message}`,
      { cause: error }
    );
  }
  const { globalScope } = analyze(program as never, { ecmaVersion: 2022, sourceType: 'script' });
  const names = (globalScope?.through ?? []).map(({ identifier }) => identifier.name);
  return [...new Set(names)].filter(name => !isGlobal(name));
}
