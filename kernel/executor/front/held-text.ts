/** Part of the interrupt thread: sends the text that a busy cell has buffered. */

import { setTimeout as sleep } from 'node:timers/promises';
import { INTERRUPT_THREAD, StreamFrame, type SharedFrame } from './stream-frame.ts';

/** Maximum time that text is buffered. */
const PERIOD_MS = 20;

export async function sendTextInTime(shared: SharedFrame): Promise<never> {
  const text = new StreamFrame(INTERRUPT_THREAD, shared);
  for (;;) {
    await text.held();
    await sleep(PERIOD_MS);
    text.relieve();
  }
}
