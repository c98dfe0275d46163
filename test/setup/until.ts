/** Waits of tests: polling for a condition, and delays if the test is about time. */

import { setTimeout as pause } from 'node:timers/promises';

/** Returns once `test` is true; the timeout is generous for busy machines. */
export async function until(test: () => boolean | Promise<boolean>, seconds = 15): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${test.toString()}`);
    await pause(5);
  }
}

/** Waits for some time; `why` gives the reason, which is never an event that could be awaited. */
export async function pass(milliseconds: number, why: string): Promise<void> {
  void why;
  await pause(milliseconds);
}
