/** Recognises errors of an interrupted program, which must always reach the caller. */

/** Returns true if an interrupt of the notebook ended a wait of the library, or Python code. */
export function isInterruption(thrown: unknown): boolean {
  return hasCode(thrown, 'ERR_INTERRUPTED') || isKeyboardInterrupt(thrown);
}

/** Returns true for Python's KeyboardInterrupt, which has Python's traceback. */
export function isKeyboardInterrupt(thrown: unknown): boolean {
  return hasCode(thrown, 'ERR_PYTHON') && (thrown as { type?: unknown }).type === 'KeyboardInterrupt';
}

function hasCode(thrown: unknown, code: string): boolean {
  return thrown instanceof Error && (thrown as { code?: unknown }).code === code;
}
