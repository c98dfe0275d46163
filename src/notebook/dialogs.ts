/**
 * `prompt`, `confirm` and `alert` as browsers and Deno have them: everything stops until they are answered. Where nobody can
 * answer they give what browsers give then: null, false, nothing.
 */

import { notebookHost } from './host.ts';
import { StdinNotImplementedError } from './stdin-errors.ts';
import { askTerminalBlocking } from './terminal.ts';

/** The text that was typed; `defaultValue` for an empty line. Null where nobody can be asked. */
export function prompt(message = 'Prompt', defaultValue = ''): string | null {
  const answer = ask(defaultValue === '' ? `${message} ` : `${message} [${defaultValue}] `);
  return answer === '' ? defaultValue : answer;
}

/** Whether the answer was `y` or `yes`. */
export function confirm(message = 'Confirm'): boolean {
  return /^\s*y(es)?\s*$/i.test(ask(`${message} [y/N] `) ?? '');
}

/** Returns once the message was acknowledged. */
export function alert(message = 'Alert'): void {
  ask(`${message} [Enter] `);
}

function ask(text: string): string | null {
  const host = notebookHost();
  if (host?.askBlocking === undefined) return askTerminalBlocking(text);
  try {
    return host.askBlocking(text) ?? null;
  } catch (error) {
    if (error instanceof StdinNotImplementedError) return null;
    throw error;
  }
}
