/** Marks the work of the kernel that the interrupt thread must not terminate midway, such as writing a frame to the front. */

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

/** Leaves all sections, for code that runs in a separate task: earlier sections have been unwound. */
export function leaveCriticalSections(): void {
  criticalDepth[0] = 0;
}
