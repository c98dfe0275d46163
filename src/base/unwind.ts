/**
 * Cleanup for synchronous functions. If an interrupt terminates JavaScript, no `finally` runs: the code that
 * terminated it then calls the remaining functions of the list under this symbol, last one first.
 */

const UNWIND = Symbol.for('stridelab.unwind');

/** One list, shared by all copies of the library. */
const open = ((globalThis as { [UNWIND]?: (() => void)[] })[UNWIND] ??= []);

/**
 * Runs `body`, then `end`, whether `body` returns, throws or is terminated. `end` runs again if it is itself
 * terminated, so it must be idempotent.
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
