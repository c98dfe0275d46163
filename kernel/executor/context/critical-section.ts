/**
 * Marks the kernel's own work, so that the interrupt thread never terminates it half done: a frame that was cut in the
 * middle would end the conversation with the front.
 */

/** Read by the interrupt thread while the main thread is paused. */
export const criticalDepth = new Int32Array(new SharedArrayBuffer(4));

export function uninterrupted<Result>(work: () => Result): Result {
  criticalDepth[0]! += 1;
  try {
    return work();
  } finally {
    criticalDepth[0]! -= 1;
  }
}

/** For code that runs as a task of its own: whatever was entered before was unwound. */
export function leaveCriticalSections(): void {
  criticalDepth[0] = 0;
}
