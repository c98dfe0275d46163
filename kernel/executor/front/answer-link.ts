/**
 * The way by which a main thread that stands still gets an answer: the interrupt thread reads it from the front, lays it on a
 * port and wakes the main thread.
 */

import { MessageChannel, receiveMessageOnPort, type MessagePort } from 'node:worker_threads';
import type { InputAnswer } from '../../protocol/executor-messages.ts';

export interface AnswerLink {
  readonly port: MessagePort;
  /** Counts the answers. */
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

/** Has a main thread that waits look whether it still is to. */
export function wakeWaiting({ count }: AnswerLink): void {
  Atomics.add(count, 0, 1);
  Atomics.notify(count, 0);
}

/**
 * Blocks until the answer to the question `id` is there; those to questions that were given up are dropped. Undefined where
 * `givesUp` says so, which is asked at each awakening.
 */
export function waitForAnswer(link: AnswerLink, id: number, givesUp: () => boolean): InputAnswer | undefined {
  for (;;) {
    if (givesUp()) return undefined;
    const seen = Atomics.load(link.count, 0);
    const received = receiveMessageOnPort(link.port) as { readonly message: InputAnswer } | undefined;
    if (received === undefined) Atomics.wait(link.count, 0, seen);
    else if (received.message.id === id) return received.message;
  }
}
