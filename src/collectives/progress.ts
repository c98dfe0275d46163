/** Polls NCCL's asynchronous operations without blocking JavaScript. */

import { setTimeout as delay } from 'node:timers/promises';

import type { NativeCommunicator } from '../native/collectives-binding.ts';

/** Polling intervals while NCCL works: the first and the longest. */
const SHORTEST_PAUSE_MS = 1;
const LONGEST_PAUSE_MS = 20;

/** Waits for NCCL; false if an operation is still in progress after `timeout` milliseconds. */
export async function settled(communicator: NativeCommunicator, timeout: number): Promise<boolean> {
  const start = performance.now();
  let pause = SHORTEST_PAUSE_MS;
  while (!communicator.progress()) {
    if (performance.now() - start >= timeout) return false;
    await delay(pause);
    pause = Math.min(2 * pause, LONGEST_PAUSE_MS);
  }
  return true;
}

/** Destroys a communicator after its work, or immediately if that fails. */
export async function retire(communicator: NativeCommunicator): Promise<void> {
  try {
    communicator.finalize();
    await settled(communicator, Infinity);
    await communicator.destroy();
  } catch (error) {
    communicator.abort();
    throw error;
  }
}
