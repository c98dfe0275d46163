/** Attempts to free memory before an allocation fails (rules 209, 230). */

import { runInNewContext } from 'node:vm';
import { setFlagsFromString } from 'node:v8';

import type { Device } from '../../core/device.ts';
import { DriverError, OutOfMemoryError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import { giveBackKeptMemory } from './kept-memory.ts';

const CUDA_ERROR_OUT_OF_MEMORY = 2;

let collector: (() => void) | undefined;

/** Collects garbage now: in synchronous code nothing else frees arrays that were dropped without `dispose`. */
export function collectGarbage(): void {
  collector ??= (globalThis as { gc?: () => void }).gc ?? exposedCollector();
  collector();
}

function exposedCollector(): () => void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as () => void;
  setFlagsFromString('--no-expose-gc');
  return gc;
}

/** Runs the releases that native code has queued, if there are any. */
export function drainReleases(): void {
  const binding = native();
  if (binding.pendingReleases[0] !== 0) binding.drainReleases();
}

export function isOutOfMemory(error: unknown): error is DriverError {
  return error instanceof DriverError && error.status === CUDA_ERROR_OUT_OF_MEMORY;
}

/**
 * Returns the result of `attempt`. If that is out of memory, retries after each of these steps: finished releases and `flush` (the
 * manager's pending frees); releases that wait for the device, and caches of other managers; garbage collection.
 * @throws OutOfMemoryError when nothing helps; any other error of `attempt` unchanged
 */
export function withRetries<T>(device: Device, bytes: number, flush: () => void, attempt: () => T): T {
  const drain = (wait: boolean): void => {
    native().drainReleases(wait);
    flush();
    if (wait) giveBackKeptMemory(device);
  };
  const steps = [
    () => drain(false),
    () => drain(true),
    () => {
      collectGarbage();
      drain(true);
    }
  ];
  let failure: unknown;
  for (let step = 0; ; step++) {
    try {
      return attempt();
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      failure = error;
    }
    const next = steps[step];
    if (next === undefined) throw outOfMemory(device, bytes, failure as DriverError);
    next();
  }
}

function outOfMemory(device: Device, bytes: number, cause: DriverError): OutOfMemoryError {
  if (cause instanceof OutOfMemoryError) return cause;
  return new OutOfMemoryError(
    `${cause.message} on ${device.toString()}, and pending frees, finished work and garbage gave back too little: ` +
      `dispose arrays that are no longer needed (\`using\`, \`dispose()\`), or take smaller pieces (rule 209)`,
    bytes,
    cause.call,
    { cause }
  );
}
