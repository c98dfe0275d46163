/** Delivers an answer to a blocked main thread: the interrupt thread posts it to a port and wakes the main thread. */

import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { InputAnswer } from '../../protocol/executor-messages.ts';

export interface AnswerLink {
  readonly port: MessagePort;
  /** Number of answers and wake-ups so far. */
  readonly count: Int32Array;
}

export function createAnswerLink(): { readonly mainEnd: AnswerLink; readonly threadEnd: AnswerLink } {
  const { port1, port2 } = new MessageChannel();
  const count = new Int32Array(new SharedArrayBuffer(4));
  return { mainEnd: { port: port1, count }, threadEnd: { port: port2, count } };
}

export function layAnswer(link: AnswerLink, answer: InputAnswer): void {
  link.port.postMessage(answer);
  wakeWaiting(link);
}

/** Wakes a waiting main thread, so that it checks whether to keep waiting. */
export function wakeWaiting({ count }: AnswerLink): void {
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}

/** Blocks until the answer to the question `id` arrives. Returns undefined once `givesUp`, called at each wake-up, returns true. */
export function waitForAnswer(link: AnswerLink, id: number, givesUp: () => boolean): InputAnswer | undefined {
  for (;;) {
    if (givesUp()) return undefined;
    const seen = Atomics.load(link.count, 0);
    const received = receiveMessageOnPort(link.port) as { readonly message: InputAnswer } | undefined;
    if (received === undefined) Atomics.wait(link.count, 0, seen);
    else if (received.message.id === id) return received.message;
  }
}
