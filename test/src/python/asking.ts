/** Evaluates expressions in this process's Python, and returns its exceptions. */

import { python, PythonError, type PyObject, type Python } from '../../../src/index.ts';

/** The value of a Python expression of the arguments `a` and `b`. */
export function ask(expression: string, ...values: unknown[]): unknown {
  const names = ['a', 'b'].slice(0, values.length).join(', ');
  return python.toJS((python.evaluate(`lambda ${names}: ${expression}`) as PyObject)(...values));
}

/** Runs statements in an interpreter, and returns the value of an expression. */
export function after(interpreter: Python, statements: string, expression: string): unknown {
  interpreter.run(statements);
  return interpreter.evaluate(expression);
}

/** The error that `body` throws. */
export function thrown(body: () => unknown): Error {
  try {
    body();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}

/** The Python exception that `body` throws; rethrows any other error. */
export function raised(body: () => unknown): PythonError {
  const error = thrown(body);
  if (error instanceof PythonError) return error;
  throw error;
}

/** Class and message of the exception that an expression raises. */
export function refusal(expression: string, value: unknown): string {
  return raised(() => ask(expression, value)).message;
}
