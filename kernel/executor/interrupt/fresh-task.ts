/** Separate tasks on the event loop, which an interrupt may terminate safely. */

import { AsyncLocalStorage } from 'node:async_hooks';
import { MessageChannel } from 'node:worker_threads';

const tasks: (() => void)[] = [];
const { port1, port2 } = new MessageChannel();
port2.on('message', () => tasks.shift()?.());

/** Runs `task` soon, on an empty stack and in the caller's async context; not as an immediate, for the reason in cell-immediates.ts. */
export function runFresh(task: () => void): void {
  tasks.push(AsyncLocalStorage.bind(task));
  port1.postMessage(null);
}
