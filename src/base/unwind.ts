/**
 * What must end with a synchronous function. Where JavaScript is stopped inside it, as by an interrupt, no `finally` runs: whoever
 * stopped it then calls what is left in the list under this symbol, last one first.
 */

const UNWIND = Symbol.for('stridelab.unwind');

/** One list for all copies of the library. */
const open = ((globalThis as { [UNWIND]?: (() => void)[] })[UNWIND] ??= []);

/**
 * Runs `body`, and `end` after it, whether it returns, throws or is stopped. `end` runs a second time where it is itself stopped, so
 * that a second run must do what is left and nothing else.
 */
export function ended<Result>(end: () => void, body: () => Result): Result {
  open.push(end);
  try {
    return body();
  } finally {
    try {
      end();
    } finally {
      open.pop();
    }
  }
}
