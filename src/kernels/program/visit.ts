/** Walks over programs. Pure. */

import type { Expression, Statement, Variable } from './program.ts';

/** Fields of nodes that hold no nodes. */
const PLAIN: ReadonlySet<string> = new Set(['array', 'place', 'variable', 'result', 'results']);

/** Calls `see` with an expression or statement and all inside it. */
export function visit(
  root: Expression | Statement | readonly Statement[],
  see: (node: Expression | Statement) => void
): void {
  const enter = (value: object): void => {
    if ('kind' in value) see(value as Expression | Statement);
    for (const key in value) {
      const field = (value as Readonly<Record<string, unknown>>)[key];
      if (typeof field === 'object' && field !== null && !PLAIN.has(key)) enter(field);
    }
  };
  enter(root);
}

/** Returns the variables that a statement itself declares. */
export function declaredBy(statement: Statement): readonly Variable[] {
  if (statement.kind === 'declare') return [statement.variable];
  if (statement.kind === 'loadVector') return statement.results;
  return 'result' in statement && statement.result !== null ? [statement.result] : [];
}
