/** Errors of an interrupted program, which are never caught and replaced. */

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
