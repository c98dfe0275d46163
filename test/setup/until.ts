/** Waits of tests: for what is checked again and again, and for time where that is what a test is about. */

import { setTimeout as pause } from 'node:timers/promises';

/** Returns once `test` is true; generous, because machines do other things too. */
export async function until(test: () => boolean | Promise<boolean>, seconds = 15): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!(await test())) {
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${test.toString()}`);
    await pause(5);
  }
}

/** Lets time pass; `why` says what the time is for, which is never an event that could be waited for. */
export async function pass(milliseconds: number, why: string): Promise<void> {
  void why;
  await pause(milliseconds);
}
