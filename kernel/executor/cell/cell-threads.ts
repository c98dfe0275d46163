/** Tracks the worker threads that cells start, so that an interrupt ends those of the interrupted cell. */

import { subscribe } from 'node:diagnostics_channel';
import type { Worker } from 'node:worker_threads';
import { currentCell } from '../context/cell-context.ts';

const threads = new Map<Worker, string>();

/** Starts tracking; called before the first cell. Threads that already exist belong to the kernel. */
export function followThreads(): void {
  subscribe('worker_threads', message => {
    const { worker } = message as { readonly worker: Worker };
    threads.set(worker, currentCell());
    worker.once('exit', () => threads.delete(worker));
  });
}

/** Terminates the threads that the request with this `msg_id` started. */
export function endThreads(id: string): void {
  for (const [worker, cell] of threads) if (cell === id) void worker.terminate();
}
