/** Describes thrown values of any kind. Getters that throw do no harm here. */

import { inspect, types } from 'node:util';
import { adviceOn } from '../modules/import-errors.ts';
import { pythonFault } from '../python/python-fault.ts';

/** An error led to, or stands beside, another one. */
export interface RelatedError {
  /** How it is related: `Caused by`. */
  readonly how: string;
  readonly error: unknown;
}

/** Said by the parts above the properties. */
const TOLD = new Set(['name', 'message', 'stack', 'cause', 'errors', 'error', 'suppressed', 'requireStack']);
/** Properties that are shown of Python exceptions. */
const TOLD_OF_PYTHON = new Set(['type', 'code']);
/** Classes that name themselves by their code. */
const NODE_CLASSES = new Set(['NodeError', 'SystemError', '']);

/** Also for errors of other realms, as `node:vm` and structured clones make them. */
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
      return { ename: nameOf(thrown), evalue: adviceOn(thrown) };
    },
    { ename: 'Uncaught', evalue: 'a value that cannot be inspected' }
  );
}

/** What was thrown; or a text in its place, where asking for its class or its fields throws. */
export function lookable(thrown: unknown): unknown {
  return guarded(() => {
    if (thrown instanceof Error) {
      const { name, message, stack, cause, code } = thrown as Error & { code?: unknown };
      // Whatever they are: that they could be read is enough.
      return [name, message, stack, cause, code].length > 0 ? thrown : '';
    }
    return thrown;
  }, 'a value that cannot be inspected');
}

/** V8's text of the stack; empty where there is none. */
export function stackOf(thrown: unknown): string {
  return guarded(() => (isError(thrown) && typeof thrown.stack === 'string' ? thrown.stack : ''), '');
}

/** Python's traceback, if the error is a Python exception. */
export function pythonLines(thrown: unknown): readonly string[] {
  return guarded(() => (isError(thrown) ? (pythonFault(thrown)?.lines ?? []) : []), []);
}

/** Properties that the thrower added. */
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

/** The parts of an aggregate, what a disposal hid, and the cause. */
export function related(thrown: unknown): RelatedError[] {
  return guarded(() => {
    if (!isError(thrown)) return [];
    const found: RelatedError[] = [];
    const { errors, error, suppressed } = thrown as Partial<
      Record<'errors' | 'error' | 'suppressed', unknown>
    >;
    if (nameOf(thrown) === 'SuppressedError') {
      found.push({ how: 'Thrown while disposing', error });
      found.push({ how: 'Which hid', error: suppressed });
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

/** A class of errors that gave itself no name has that of the class. */
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
