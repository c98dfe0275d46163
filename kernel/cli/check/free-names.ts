/** Names that a cell uses and does not declare. */

import type * as acorn from 'acorn';
import { notePlace, topLevelScope } from '../../executor/transform/references.ts';
import { walk } from '../../executor/transform/syntax-walk.ts';
import type { CodeFinding } from './findings.ts';

/** Parameters of a cell's function. */
const GIVEN = new Set(['require', 'arguments']);

/**
 * Returns the first use of each free name outside functions: code in a function may never run here, but in a page. A name that the cell
 * asks for with `typeof` may be missing.
 */
export function nameFindings(program: acorn.Program): (CodeFinding & { readonly name: string })[] {
  const asked = new Set<number>();
  const outside = new Set<number>();
  const none = new Set<number>();
  walk(program, (node, _parent, inFunction) => {
    notePlace({ asked, shorthands: none, callees: none, replaced: none }, node);
    if (!inFunction) outside.add(node.start);
  });
  const uses = topLevelScope(program).through.map(
    ({ identifier }) => identifier as unknown as acorn.Identifier
  );
  const left = new Set([...GIVEN, ...uses.filter(({ start }) => asked.has(start)).map(({ name }) => name)]);
  return uses.flatMap(node => {
    const { name, start } = node;
    if (left.has(name) || !outside.has(start)) return [];
    left.add(name);
    return [{ kind: 'name' as const, name, message: advice(name), node }];
  });
}

const IN_PAGES = new Set([
  'window',
  'document',
  'localStorage',
  'sessionStorage',
  'location',
  'history',
  'HTMLElement',
  'Image',
  'DOMParser',
  'XMLHttpRequest',
  'requestAnimationFrame',
  'customElements'
]);

const OF_OTHERS: Readonly<Record<string, string>> = {
  $$: "it is ijavascript's; display() shows values here",
  IPython: 'it is of Python notebooks',
  Jupyter: 'it is of pages of the classic notebook'
};

/** Says what is wrong with a free name. */
function advice(name: string): string {
  if (IN_PAGES.has(name)) return `${name} is not defined: it belongs to web pages, and cells run in Node`;
  const other = Object.hasOwn(OF_OTHERS, name) ? OF_OTHERS[name] : 'no cell declares it, and it is no global';
  return `${name} is not defined: ${other}`;
}
