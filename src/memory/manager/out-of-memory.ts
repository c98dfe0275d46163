/** Attempts to free memory before an allocation fails (rules 209, 230). */

import type { Device } from '../../core/device.ts';
import { DriverError, OutOfMemoryError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import { giveBackKeptMemory } from './kept-memory.ts';

const CUDA_ERROR_OUT_OF_MEMORY = 2;

let pending: Int32Array | undefined;

/** Runs the releases that native code has queued, if there are any. */
export function drainReleases(): void {
  pending ??= native().pendingReleases;
  if (pending[0] !== 0) native().drainReleases();
}

export function isOutOfMemory(error: unknown): error is DriverError {
  return error instanceof DriverError && error.status === CUDA_ERROR_OUT_OF_MEMORY;
}

/** Rounds of freeing: first finished releases; then, twice, garbage, releases that wait for the device, and caches of other managers. */
const ROUNDS = 3;

/**
 * Returns the result of `attempt`. If that is out of memory, frees more and tries again; `flush` runs the manager's pending frees.
 * @throws OutOfMemoryError if that does not help; any other error of `attempt` unchanged
 */
export function withRetries<T>(device: Device, bytes: number, attempt: () => T, flush?: () => void): T {
  for (let round = 0; ; round++) {
    try {
      return attempt();
    } catch (error) {
      if (!isOutOfMemory(error)) throw error;
      if (round === ROUNDS) throw outOfMemory(device, bytes, error);
    }
    const collect = round > 0;
    native().drainReleases(collect);
    flush?.();
    if (collect) giveBackKeptMemory(device);
  }
}

function outOfMemory(device: Device, bytes: number, cause: DriverError): OutOfMemoryError {
  if (cause instanceof OutOfMemoryError) return cause;
  return new OutOfMemoryError(
    `${cause.message} on ${device.toString()}, even after pending frees and a garbage collection: ` +
      `dispose arrays that are no longer needed (\`using\`, \`dispose()\`), or allocate less (rule 209: retries)`,
    bytes,
    cause.call,
    { cause }
  );
}
