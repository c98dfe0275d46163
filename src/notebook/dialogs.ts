/** `prompt`, `confirm` and `alert` as in browsers and Deno: they block, and return null, false and nothing if no one can answer. */

import { notebookHost } from './host.ts';
import { StdinNotImplementedError } from './stdin-errors.ts';
import { askTerminalBlocking } from './terminal.ts';

/** Asks for text and blocks until it is typed. Returns `defaultValue` for an empty line, and null if there is no one to ask. */
export function prompt(message = 'Prompt', defaultValue = ''): string | null {
  const answer = ask(defaultValue === '' ? `${message} ` : `${message} [${defaultValue}] `);
  return answer === '' ? defaultValue : answer;
}

/** Asks a question and blocks until it is answered. Returns true for `y` or `yes`. */
export function confirm(message = 'Confirm'): boolean {
  return /^\s*y(es)?\s*$/i.test(ask(`${message} [y/N] `) ?? '');
}

/** Shows a message and blocks until the user acknowledges it. */
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
