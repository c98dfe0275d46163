/** Enums and namespaces, as compiled: those of one cell merge, and replace those of earlier cells. */

import type * as acorn from 'acorn';
import type MagicString from 'magic-string';

/** The argument `N || (N = {})` with which the code of an enum or a namespace is called. */
interface Merging {
  readonly name: string;
  readonly argument: acorn.LogicalExpression;
}

/** Returns the name of the enum or namespace whose code the statement is; undefined for other statements. */
export function mergedName(statement: acorn.AnyNode): string | undefined {
  return merging(statement)?.name;
}

/** Rewrites the first enum or namespace of each name to begin without the members that the name had in an earlier cell. */
export function replaceMerged(text: MagicString, statements: readonly (acorn.AnyNode | null)[]): void {
  const known = new Set<string>();
  for (const statement of statements) {
    if (statement === null) continue;
    if (statement.type === 'FunctionDeclaration' || statement.type === 'ClassDeclaration') {
      if (statement.id) known.add(statement.id.name);
      continue;
    }
    const { name, argument } = merging(statement) ?? {};
    if (name === undefined || known.has(name)) continue;
    known.add(name);
    text.update(argument!.left.start, argument!.left.end, 'void 0');
  }
}

function merging(statement: acorn.AnyNode): Merging | undefined {
  let call: acorn.Expression | null | undefined;
  if (statement.type === 'ExpressionStatement') call = statement.expression;
  else if (statement.type === 'VariableDeclaration') call = statement.declarations[0]?.init;
  // The second enum of a name.
  if (call?.type === 'AssignmentExpression') call = call.right;
  if (call?.type !== 'CallExpression' || call.callee.type !== 'FunctionExpression') return undefined;
  const [argument] = call.arguments;
  if (argument?.type !== 'LogicalExpression' || argument.left.type !== 'Identifier') return undefined;
  return { name: argument.left.name, argument };
}
