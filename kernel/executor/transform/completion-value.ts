/** Makes the value of a cell's last statement its result: the completion value that JavaScript gives to a script. */

import type * as acorn from 'acorn';
import type MagicString from 'magic-string';
import { mergedName } from './merging.ts';

/** Local variable of a cell's function that holds the value of its last statement. */
export const COMPLETION_VALUE = '__stridelab_value';

type Node = acorn.Program['body'][number];

/** Rewrites the last statement. Returns whether it uses `COMPLETION_VALUE`. Only that statement counts: a declaration has no value. */
export function markResult(text: MagicString, body: readonly Node[]): boolean {
  const last = body.findLast(({ type }) => type !== 'EmptyStatement');
  if (last === undefined) return false;
  if (last.type === 'ExpressionStatement') {
    if (mergedName(last) === undefined) showExpression(text, last.expression);
    return false;
  }
  if (last.type === 'ExportDefaultDeclaration') {
    const { declaration } = last;
    if (declaration.type !== 'FunctionDeclaration' && declaration.type !== 'ClassDeclaration')
      showExpression(text, declaration);
    return false;
  }
  if (!new CompletionMarker(text, last as acorn.Statement).isUsed) return false;
  text.append(`\n__stridelab.result(${COMPLETION_VALUE});`);
  return true;
}

/** Displayed while the cell still runs, so that resources of its `using` declarations are alive. */
function showExpression(text: MagicString, { type, start, end }: acorn.AnyNode): void {
  // Extra parentheses make `1, 2` one argument.
  const isSequence = type === 'SequenceExpression';
  text.prependRight(start, isSequence ? '__stridelab.result((' : '__stridelab.result(');
  text.appendLeft(end, isSequence ? '))' : ')');
}

/**
 * Stores the values of the expressions that can be the last one to run. Statements are visited from the last to the first, so that those
 * whose value another one always replaces stay unchanged.
 */
class CompletionMarker {
  readonly #text: MagicString;
  readonly #last: acorn.Statement;
  /** Whether the statements after the visited one always give a value. */
  #isSet = false;
  /** Whether `break` or `continue` may skip the statements after the visited one. */
  #isBreakable = false;
  /** Statements before which the value is cleared, inner ones first. */
  readonly #cleared: acorn.Statement[] = [];
  /** Blocks at whose start the value of what threw is cleared. */
  readonly #handlers: acorn.BlockStatement[] = [];
  isUsed = false;

  constructor(text: MagicString, last: acorn.Statement) {
    this.#text = text;
    this.#last = last;
    this.#visit(last, last);
    if (!this.isUsed) return;
    for (const { start, end } of this.#cleared) {
      text.prependRight(start, `{ ${COMPLETION_VALUE} = void 0; `);
      text.appendLeft(end, ' }');
    }
    for (const { start } of this.#handlers) text.appendLeft(start + 1, ` ${COMPLETION_VALUE} = void 0;`);
  }

  /** Visits a statement; `outer` is the statement with its labels. */
  #visit(statement: acorn.Statement, outer = statement): void {
    switch (statement.type) {
      case 'ExpressionStatement':
        this.#store(statement.expression);
        break;
      case 'BlockStatement':
        this.#list(statement.body);
        break;
      case 'LabeledStatement':
        this.#breakable(() => this.#visit(statement.body, outer));
        break;
      case 'IfStatement':
        this.#oneOf([statement.consequent, statement.alternate ?? null], outer);
        break;
      case 'TryStatement':
        if (statement.handler) this.#handlers.push(statement.handler.body);
        this.#oneOf([statement.block, ...(statement.handler ? [statement.handler.body] : [])], outer);
        break;
      case 'SwitchStatement':
        this.#breakable(() => {
          for (const { consequent } of statement.cases.toReversed()) this.#list(consequent);
        });
        this.#clearBefore(outer);
        break;
      case 'ForStatement':
      case 'ForInStatement':
      case 'ForOfStatement':
      case 'WhileStatement':
      case 'DoWhileStatement':
        this.#breakable(() => this.#visit(statement.body));
        this.#clearBefore(outer);
        break;
      case 'BreakStatement':
      case 'ContinueStatement':
        this.#isSet = false;
        break;
      default:
    }
  }

  #list(statements: readonly acorn.Statement[]): void {
    for (const statement of statements.toReversed())
      if (this.#isBreakable || !this.#isSet) this.#visit(statement);
  }

  #breakable(visit: () => void): void {
    const before = this.#isBreakable;
    this.#isBreakable = true;
    visit();
    this.#isBreakable = before;
  }

  /** Visits statements of which one runs; null is one that gives undefined. */
  #oneOf(branches: readonly (acorn.Statement | null)[], outer: acorn.Statement): void {
    const before = this.#isSet;
    let always = true;
    for (const branch of branches) {
      this.#isSet = before;
      if (branch !== null) this.#visit(branch);
      always &&= this.#isSet;
    }
    this.#isSet = true;
    if (!always) this.#clearBefore(outer);
  }

  #store({ start }: acorn.Expression): void {
    if (this.#isSet) return;
    this.#isSet = true;
    this.isUsed = true;
    // On a separate line, which has no place in the cell before the expression.
    this.#text.prependRight(start, `\n${COMPLETION_VALUE} = `);
  }

  /** Forgets the value of an earlier turn of a loop: this statement may give none. */
  #clearBefore(statement: acorn.Statement): void {
    this.#isSet = true;
    if (statement.start !== this.#last.start) this.#cleared.push(statement);
  }
}
