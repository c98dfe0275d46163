/** Walks a parsed cell and tracks whether it is inside a function, where `var` and `await` have another meaning. */

import type * as acorn from 'acorn';

export interface Visitor {
  /** `inFunction` is false for code that runs as part of the cell itself. */
  (node: acorn.AnyNode, parent: acorn.AnyNode | null, inFunction: boolean): void;
}

export function walk(
  node: acorn.AnyNode,
  visit: Visitor,
  parent: acorn.AnyNode | null = null,
  inFunction = false
): void {
  visit(node, parent, inFunction);
  const inside =
    inFunction || isFunction(node) || node.type === 'StaticBlock' || node.type === 'PropertyDefinition';
  for (const value of Object.values(node) as unknown[]) {
    if (Array.isArray(value)) {
      for (const item of value as unknown[]) if (isNode(item)) walk(item, visit, node, inside);
    } else if (isNode(value)) {
      walk(value, visit, node, inside);
    }
  }
}

function isFunction(node: acorn.AnyNode): boolean {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}

function isNode(value: unknown): value is acorn.AnyNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
