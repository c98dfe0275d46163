/** Adds a check between statements of a cell that call something: an interrupt that arrived during a native call ends the cell there. */

import type * as acorn from 'acorn';
import type MagicString from 'magic-string';
import { walk } from './syntax-walk.ts';

/** V8 checks for interrupts only in loops and as JavaScript is called. A getter, on a separate line, for the reasons in await-checks.ts. */
const STATEMENT = '\n;__stridelab.checked;\n';

/** Adds the checks. Must run after other edits, whose text belongs to the statement. */
export function addStatementChecks(text: MagicString, { body }: acorn.Program): void {
  // The others move to the front of the cell.
  const stay = body.filter(({ type }) => type !== 'ImportDeclaration' && type !== 'FunctionDeclaration');
  for (const statement of stay.slice(0, -1)) if (calls(statement)) text.appendLeft(statement.end, STATEMENT);
}

/** Returns whether the statement itself calls something, apart from functions that it declares. */
function calls(statement: acorn.AnyNode): boolean {
  let found = false;
  walk(statement, ({ type }, _parent, inFunction) => {
    found ||= !inFunction && (type === 'CallExpression' || type === 'NewExpression');
  });
  return found;
}
