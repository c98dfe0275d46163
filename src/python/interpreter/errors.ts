/** Errors of Python. */

import { PeerLostError, StridelabError } from '../../base/errors.ts';

export interface PythonExceptionInfo {
  /** The class, such as `ValueError`; with its module unless that is `builtins`. */
  readonly type: string;
  readonly message: string;
  /** The traceback as Python prints it, with the last line. */
  readonly traceback: string;
  readonly interpreter: { readonly executable: string; readonly version: string };
}

/** Returns advice for a missing module: often another Python was intended. */
function adviceFor({ type, interpreter }: PythonExceptionInfo): string {
  if (type !== 'ModuleNotFoundError') return '';
  return (
    `\nThis is ${interpreter.executable} (Python ${interpreter.version}): install the module there, or choose another ` +
    'interpreter with STRIDELAB_PYTHON or, before the first use, python.start({ python: "/path/to/python" })'
  );
}

/** A Python exception that reached JavaScript. `stack` ends with Python's traceback. */
export class PythonError extends StridelabError {
  /** The name of the exception's class, for example `ValueError`. */
  readonly type: string;
  /** Python's traceback as text. */
  readonly traceback: string;
  /** The exception as a Python object; raised again when the error returns to Python. */
  readonly exception: unknown;

  constructor(info: PythonExceptionInfo, exception: unknown) {
    const { type, message, traceback } = info;
    super('ERR_PYTHON', (message === '' ? type : `${type}: ${message}`) + adviceFor(info));
    this.type = type;
    this.traceback = traceback;
    // Not enumerable, because the traceback is part of the stack.
    this.exception = exception;
    Object.defineProperties(this, { exception: { enumerable: false }, traceback: { enumerable: false } });
    this.stack = `${this.stack ?? ''}\n${traceback.trimEnd()}`;
  }
}

/** Python cannot run: none was found, it has no shared library, or it did not start. */
export class PythonUnavailableError extends StridelabError {
  /** The interpreters that were tried, each with its obstacle. */
  readonly tried: readonly string[];

  constructor(message: string, tried: readonly string[] = [], options?: ErrorOptions) {
    super('ERR_PYTHON_UNAVAILABLE', [message, ...tried.map(line => `  ${line}`)].join('\n'), options);
    this.tried = tried;
  }
}

/** How a process exited, as far as known. */
export interface ProcessEnd {
  readonly exitCode: number | null;
  /** The signal, such as `SIGSEGV`; null if no signal ended the process. */
  readonly signal: string | null;
  /** The end of its standard error. */
  readonly stderr: string;
}

/** The process that ran Python exited, and all its objects are lost. `python.start()` starts another. */
export class PythonLostError extends PeerLostError implements ProcessEnd {
  /** The exit code; null if a signal ended the process. */
  readonly exitCode: number | null;
  /** The signal that ended the process, for example `SIGSEGV`; null if none did. */
  readonly signal: string | null;
  /** The end of the process's standard error. */
  readonly stderr: string;
  /** How the process ended, as text, with the end of its standard error. */
  readonly how: string;

  constructor(how: string, end?: ProcessEnd) {
    const told = end === undefined || end.stderr === '' ? how : `${how}\n${end.stderr.replace(/^/gm, '  ')}`;
    super(`Python is no longer running: ${told}`);
    this.exitCode = end?.exitCode ?? null;
    this.signal = end?.signal ?? null;
    this.stderr = end?.stderr ?? '';
    this.how = told;
    Object.defineProperties(this, { how: { enumerable: false }, stderr: { enumerable: false } });
  }
}
