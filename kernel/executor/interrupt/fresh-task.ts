/** Tasks of their own on the event loop, which an interrupt may end without harm. */

import { MessageChannel } from 'node:worker_threads';

const tasks: (() => void)[] = [];
const { port1, port2 } = new MessageChannel();
port2.on('message', () => tasks.shift()?.());

/**
 * Runs `task` soon, on an empty stack. Not by `setImmediate`: Node keeps the immediates of one turn in a list, and a callback
 * that is terminated while others stand before it leaves the list broken for good.
 */
export function runFresh(task: () => void): void {
  tasks.push(task);
  port1.postMessage(null);
}
