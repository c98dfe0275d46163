/** Walks a parsed cell and tracks whether it is inside a function, where `var` and `await` have another meaning. */

import type * as acorn from 'acorn';
import { childNodes } from '../../protocol/syntax.ts';

/** `inFunction` is false for code that runs as part of the cell itself. */
type Visitor = (node: acorn.AnyNode, parent: acorn.AnyNode | null, inFunction: boolean) => void;

export function walk(
  node: acorn.AnyNode,
  visit: Visitor,
  parent: acorn.AnyNode | null = null,
  inFunction = false
): void {
  visit(node, parent, inFunction);
  const inside =
    inFunction || isFunction(node) || node.type === 'StaticBlock' || node.type === 'PropertyDefinition';
  for (const child of childNodes(node)) walk(child, visit, node, inside);
}

function isFunction(node: acorn.AnyNode): boolean {
  return (
    node.type === 'FunctionDeclaration' ||
    node.type === 'FunctionExpression' ||
    node.type === 'ArrowFunctionExpression'
  );
}
