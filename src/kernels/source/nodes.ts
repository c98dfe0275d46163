/** Nodes of TypeScript's syntax trees. Pure. */

import type { AnyNode, Function as FunctionNode } from 'acorn';

/** Nodes of TypeScript that are a value with a type. */
const TYPED_VALUES = new Set([
  'TSAsExpression',
  'TSSatisfiesExpression',
  'TSNonNullExpression',
  'TSTypeAssertion',
  'TSInstantiationExpression',
  'TSExportAssignment'
]);
const TYPES = new Set([
  'typeAnnotation',
  'returnType',
  'typeParameters',
  'typeArguments',
  'superTypeParameters'
]);

/** Returns the members of a node that may hold values; none for a type. */
export function valueKeys(node: object): string[] {
  const { type } = node as AnyNode;
  if (TYPED_VALUES.has(type)) return ['expression'];
  return type.startsWith('TS') ? [] : Object.keys(node).filter(key => !TYPES.has(key));
}

/** Calls `visit` for each node of values, outer ones first. */
export function walk(
  node: AnyNode,
  visit: (node: AnyNode, parent: AnyNode | undefined) => void,
  parent?: AnyNode
): void {
  visit(node, parent);
  for (const key of valueKeys(node)) {
    const value = (node as unknown as Readonly<Record<string, unknown>>)[key];
    for (const child of Array.isArray(value) ? (value as unknown[]) : [value])
      if (isNode(child)) walk(child, visit, node);
  }
}

function isNode(value: unknown): value is AnyNode {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}

/** Returns the value in `value as Type` and the like. */
export function withoutTypes(node: AnyNode): AnyNode {
  let value = node;
  while (TYPED_VALUES.has(value.type))
    value = (value as unknown as { readonly expression: AnyNode }).expression;
  return value;
}

export function isFunction(node: AnyNode): node is AnyNode & FunctionNode {
  return (
    node.type === 'ArrowFunctionExpression' ||
    node.type === 'FunctionExpression' ||
    node.type === 'FunctionDeclaration'
  );
}
