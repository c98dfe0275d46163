/** Syntax trees and identifiers of JavaScript. */

const IDENTIFIER = /^[\p{ID_Start}$_][\p{ID_Continue}$]*$/u;

export function isIdentifier(text: string): boolean {
  return IDENTIFIER.test(text);
}

/** Returns the nodes directly below a node of an ESTree syntax tree. */
export function childNodes<Node extends object>(node: Node): Node[] {
  return Object.values(node).flat().filter(isNode) as Node[];
}

function isNode(value: unknown): boolean {
  return (
    typeof value === 'object' && value !== null && typeof (value as { type?: unknown }).type === 'string'
  );
}
