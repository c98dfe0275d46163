/** Errors that say that somebody interrupted the program: nothing is to go on in their place. */

/** Whether an interrupt of the notebook ended a wait of the library, or code of Python. */
export function isInterruption(thrown: unknown): boolean {
  return hasCode(thrown, 'ERR_INTERRUPTED') || isKeyboardInterrupt(thrown);
}

/** Python's own answer to an interrupt, which has Python's own traceback. */
export function isKeyboardInterrupt(thrown: unknown): boolean {
  return hasCode(thrown, 'ERR_PYTHON') && (thrown as { type?: unknown }).type === 'KeyboardInterrupt';
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && (thrown as { code?: unknown }).code === code;
}
