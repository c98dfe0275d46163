/** Describes thrown values of any kind. Tolerates getters that throw. */

import { inspect, types } from 'node:util';
import { adviceOn } from '../modules/import-errors.ts';
import { pythonFault } from '../python/python-fault.ts';
import { asWritten } from './written-messages.ts';

/** An error that caused another one, or belongs to it. */
export interface RelatedError {
  /** How it is related: `Caused by`. */
  readonly how: string;
  readonly error: unknown;
}

/** Properties that other parts of the report already show. */
const TOLD = new Set(['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed', 'requireStack']);
/** Properties of Python exceptions that are already shown. */
const TOLD_OF_PYTHON = new Set(['type', 'code']);
/** Names of error classes that identify themselves by their code. */
const NODE_CLASSES = new Set(['NodeError', 'SystemError', '']);

/** Returns whether the value is an error, including errors of other realms, such as those of `node:vm` and structured clones. */
export function isError(value: unknown): value is Error {
  return value instanceof Error || types.isNativeError(value);
}

export function nameAndMessage(thrown: unknown): { readonly ename: string; readonly evalue: string } {
  return guarded(
    () => {
      if (!isError(thrown)) {
        return { ename: 'Uncaught', evalue: typeof thrown === 'string' ? thrown : inspect(thrown) };
      }
      const fault = pythonFault(thrown);
      if (fault !== undefined) return { ename: fault.type, evalue: fault.message };
      return { ename: nameOf(thrown), evalue: asWritten(adviceOn(thrown)) };
    },
    { ename: 'Uncaught', evalue: 'a value that cannot be inspected' }
  );
}

/** Returns the thrown value, or a text instead if reading its class or fields throws. */
export function inspectable(thrown: unknown): unknown {
  return guarded(() => {
    if (thrown instanceof Error) {
      const { name, message, stack, cause, code } = thrown as Error & { code?: unknown };
      // The values do not matter, only that reading them does not throw.
      return [name, message, stack, cause, code].length > 0 ? thrown : '';
    }
    return thrown;
  }, 'a value that cannot be inspected');
}

/** Returns V8's text of the stack; empty if there is none. */
export function stackOf(thrown: unknown): string {
  return guarded(() => (isError(thrown) && typeof thrown.stack === 'string' ? thrown.stack : ''), '');
}

/** Returns the message of an error; undefined for other values. */
export function messageOf(thrown: unknown): string | undefined {
  return guarded(() => (isError(thrown) ? String(thrown.message) : undefined), undefined);
}

/** Returns Python's traceback lines; empty if the error is not a Python exception. */
export function pythonLines(thrown: unknown): readonly string[] {
  return guarded(() => (isError(thrown) ? (pythonFault(thrown)?.lines ?? []) : []), []);
}

/** Returns properties that the thrower added, as text. */
export function properties(thrown: unknown): string[] {
  if (!isError(thrown)) return [];
  return guarded(
    () =>
      Object.entries(thrown)
        .filter(([key]) => !TOLD.has(key) && !(pythonFault(thrown) !== undefined && TOLD_OF_PYTHON.has(key)))
        .map(([key, value]) => `${key}: ${inspect(value, { depth: 1, breakLength: Infinity })}`),
    []
  );
}

/** Returns the parts of an aggregate, the error that a disposal suppressed, and the cause. */
export function related(thrown: unknown): RelatedError[] {
  return guarded(() => {
    if (!isError(thrown)) return [];
    const found: RelatedError[] = [];
    const { errors, error, suppressed } = thrown as Partial<
      Record<'errors' | 'error' | 'suppressed', unknown>
    >;
    if (nameOf(thrown) === 'SuppressedError') {
      found.push({ how: 'Thrown while disposing', error });
      found.push({ how: 'Suppressed', error: suppressed });
    }
    if (Array.isArray(errors)) {
      errors.forEach((part: unknown, index) =>
        found.push({ how: `${index + 1} of ${errors.length}`, error: part })
      );
    }
    if (thrown.cause !== undefined) found.push({ how: 'Caused by', error: thrown.cause });
    return found;
  }, []);
}

/** Returns the name of an error, or of its class if the error has no name of its own. */
function nameOf(error: Error): string {
  const name = String(error.name);
  if (name !== 'Error') return name;
  const own = (error.constructor as { name?: unknown } | undefined)?.name;
  return typeof own === 'string' && !NODE_CLASSES.has(own) ? own : name;
}

function guarded<Result>(look: () => Result, otherwise: Result): Result {
  try {
    return look();
  } catch {
    return otherwise;
  }
}
