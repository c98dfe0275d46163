/** Connects Python to a notebook: `input()` and `getpass()` ask its user, `display()` shows in the cell, figures are shown at its end. */

import { InterruptWord, PYTHON_INTERRUPT_WORDS } from '../../native/python-interrupts-binding.ts';
import { notebookHost } from '../../notebook/host.ts';
import { StdinClosedError } from '../../notebook/stdin-errors.ts';
import type { Interpreter } from './interpreter.ts';
import { notebookOf } from './notebook.ts';

/** Does nothing in a plain program, whose standard input Python reads itself. */
export function attachToNotebook(python: Interpreter): void {
  if (notebookHost()?.askBlocking === undefined) return;
  const words = (globalThis as { [PYTHON_INTERRUPT_WORDS]?: unknown })[PYTHON_INTERRUPT_WORDS];
  const isInterrupted = (): boolean =>
    words instanceof Int32Array && Atomics.load(words, InterruptWord.pending) !== 0;
  const notebook = notebookOf(python);
  notebook.keepFigures();
  notebook.attach(
    (prompt, hidden) => {
      try {
        return notebookHost()?.askBlocking?.(prompt, hidden, isInterrupted);
      } catch (error) {
        // Python raises EOFError, which means the end of the input.
        if (error instanceof StdinClosedError) return false;
        throw error;
      }
    },
    ({ bundle, problems }) => {
      for (const problem of problems) process.stderr.write(`${problem}\n`);
      notebookHost()?.display(bundle);
    }
  );
}
