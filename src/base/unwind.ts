/** Cleanup for synchronous functions, also if an interrupt terminates JavaScript, which runs no `finally`. */

const UNWIND = Symbol.for('stridelab.unwind');

/** One list, shared by all copies of the library. */
const open = ((globalThis as { [UNWIND]?: (() => void)[] })[UNWIND] ??= []);

/** Runs `body`, then `end`, whether `body` returns, throws or is terminated. `end` must be idempotent: it runs again if it is terminated. */
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
