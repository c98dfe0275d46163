/** Members of `Deno` that a cell uses and this kernel does not have. */

import type * as acorn from 'acorn';
import { walk } from '../../executor/transform/syntax-walk.ts';
import type { CodeFinding } from './findings.ts';
import { Deno } from '../../peers/deno/index.ts';

/** Returns the uses of missing members in `Deno.x`, `Deno.x.y` and `const { x } = Deno`. */
export function denoFindings(program: acorn.Program): CodeFinding[] {
  const found: CodeFinding[] = [];
  const use = (node: acorn.AnyNode, path: readonly string[]): void => {
    if (isMissing(path))
      found.push({
        kind: 'deno',
        node,
        message: `Deno${path.map(name => `.${name}`).join('')} is not available here`
      });
  };
  walk(program, node => {
    if (node.type === 'MemberExpression') {
      const path = pathOf(node);
      if (path !== undefined) use(node.property, path);
    }
    if (node.type !== 'VariableDeclarator' || node.id.type !== 'ObjectPattern' || !node.init) return;
    const path = node.init.type === 'Identifier' && node.init.name === 'Deno' ? [] : pathOf(node.init);
    if (path === undefined) return;
    for (const property of node.id.properties) {
      if (property.type === 'Property' && property.key.type === 'Identifier' && !property.computed)
        use(property.key, [...path, property.key.name]);
    }
  });
  return found;
}

/** Returns the names after `Deno`; undefined for other expressions. */
function pathOf(node: acorn.AnyNode): string[] | undefined {
  if (node.type !== 'MemberExpression' || node.computed || node.property.type !== 'Identifier')
    return undefined;
  const { name } = node.property;
  if (node.object.type === 'Identifier') return node.object.name === 'Deno' ? [name] : undefined;
  const path = pathOf(node.object);
  return path && [...path, name];
}

/** Returns whether the last name is missing, and what it is looked up in is one of our own objects. */
function isMissing(path: readonly string[]): boolean {
  let value: unknown = Deno;
  for (const [index, name] of path.entries()) {
    if (typeof value !== 'object' || value === null) return false;
    if (!(name in value)) return index === path.length - 1;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return false;
}
