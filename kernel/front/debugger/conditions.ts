/** Combines the condition, hit count and log message of a breakpoint into one expression that V8 evaluates at it. */

import type { DebugProtocol } from '@vscode/debugprotocol';
import { NOTEBOOK_ACCESS } from '../../protocol/debugger-messages.ts';
import { toJavaScript } from './expressions.ts';

/** Error for a condition that cannot be used; the message is for the user. */
export class ConditionError extends Error {
  override readonly name = 'ConditionError';
}

/** Returns the condition; empty if the breakpoint always stops. Hits are counted under `id`. Throws `ConditionError`. */
export function conditionOf(breakpoint: DebugProtocol.SourceBreakpoint, id: string): string {
  const { condition = '', hitCondition = '', logMessage = '' } = breakpoint;
  const parts: string[] = [];
  if (condition.trim() !== '') parts.push(`(${expression(condition)})`);
  if (hitCondition.trim() !== '') parts.push(hits(hitCondition, id));
  if (logMessage !== '') parts.push(logging(logMessage));
  return parts.join(' && ');
}

/** Parses a hit count such as `5`, `>= 5`, `== 5` or `% 5`. */
function hits(text: string, id: string): string {
  const match = /^\s*(>=|<=|===?|>|<|%)?\s*(\d+)\s*$/.exec(text);
  if (match === null) {
    throw new ConditionError(
      `"${text}" is not a hit count: expected a number, optionally after >=, >, ==, <, <= or %`
    );
  }
  const [, operator = '>=', count] = match;
  const hit = `globalThis[Symbol.for(${JSON.stringify(NOTEBOOK_ACCESS)})].hit(${JSON.stringify(id)})`;
  return operator === '%' ? `${hit} % ${count} === 0` : `${hit} ${operator} ${count}`;
}

/** Prints the message with the values of the expressions in braces, and never stops. */
function logging(message: string): string {
  const parts = message.split(/\{([^{}]+)\}/);
  const values = parts.map((part, index) => {
    if (index % 2 === 0) return JSON.stringify(part);
    const code = expression(part);
    return `(() => { try { return (${code}); } catch (error) { return error; } })()`;
  });
  // Literal text is printed with `%s`, values as the console shows them.
  const format = parts.map((_, index) => (index % 2 === 0 ? '%s' : '%O')).join('');
  return `(console.log(${JSON.stringify(format)}, ${values.join(', ')}), false)`;
}

function expression(text: string): string {
  try {
    return toJavaScript(text).replace(/;\s*$/, '');
  } catch (error) {
    throw new ConditionError(`"${text}" is not an expression: ${(error as Error).message}`);
  }
}
