/** Asks the notebook's user for input; in a plain program, the terminal. */

import { notebookHost } from './host.ts';
import { askTerminal } from './terminal.ts';

/**
 * Asks for a line of text and resolves with it. The cell waits; its callbacks and widgets continue to run. @param prompt shown before the
 * place where the answer is typed
 * @throws StdinNotImplementedError if the client does not support questions, such as `nbconvert --execute`
 * @throws StdinClosedError if the cell that asked, or the input of a plain program, ended before the answer
 */
export async function input(prompt = ''): Promise<string> {
  return ask(prompt, false);
}

/** Resolves with a line of text that is not shown while it is typed. The cell waits; its callbacks and widgets continue to run. */
export async function password(prompt = 'Password: '): Promise<string> {
  return ask(prompt, true);
}

function ask(prompt: string, isPassword: boolean): Promise<string> {
  return notebookHost()?.ask?.(prompt, isPassword) ?? askTerminal(prompt, !isPassword);
}
