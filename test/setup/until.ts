/** Waits for what is checked again and again; generous, because machines do other things too. */

import { setTimeout as pause } from 'node:timers/promises';

export async function until(test: () => boolean, seconds = 15): Promise<void> {
  const deadline = performance.now() + seconds * 1000;
  while (!test()) {
    if (performance.now() > deadline) throw new Error(`not within ${seconds} s: ${test.toString()}`);
    await pause(5);
  }
}
