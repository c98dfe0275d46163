/** Errors of Python in this process. */

import { StridelabError } from '../errors.ts';

/** What an exception of Python is told by. */
export interface PythonExceptionInfo {
  /** `ValueError`; with its module where that is not `builtins`. */
  readonly type: string;
  readonly message: string;
  /** As Python prints it, the last line included. */
  readonly traceback: string;
}

/** An exception of Python that reached JavaScript. `stack` ends with Python's traceback. */
export class PythonError extends StridelabError {
  readonly type: string;
  readonly traceback: string;
  /** The exception itself, a Python object; raised again where the error goes back to Python. */
  readonly exception: unknown;

  constructor({ type, message, traceback }: PythonExceptionInfo, exception: unknown) {
    super('ERR_PYTHON', message === '' ? type : `${type}: ${message}`);
    this.type = type;
    this.traceback = traceback;
    // Shown by the traceback already.
    this.exception = exception;
    Object.defineProperties(this, { exception: { enumerable: false }, traceback: { enumerable: false } });
    this.stack = `${this.stack ?? ''}\n${traceback.trimEnd()}`;
  }
}

/** Python cannot run in this process: none was found, it has no shared library, or it did not start. The program goes on without. */
export class PythonUnavailableError extends StridelabError {
  /** What was looked at, and what was wrong with each. */
  readonly tried: readonly string[];

  constructor(message: string, tried: readonly string[] = [], options?: ErrorOptions) {
    super('ERR_PYTHON_UNAVAILABLE', [message, ...tried.map(line => `  ${line}`)].join('\n'), options);
    this.tried = tried;
  }
}
