/** Arrays that tests share with another process, in memory of each kind, and views of them. */

import type { TestContext } from 'node:test';
import { arange, DriverError, empty, zeros, type NDArray, type Stream } from 'stridelab';
import {
  BestFitPoolMemoryManager,
  DefaultCUDAMemoryManager,
  IpcPoolMemoryManager,
  usingMemoryManager,
  VirtualMemoryManager,
  type MemoryManagerClass
} from 'stridelab/memory';
import { emptyShared, type Lease } from 'stridelab/sharing';
import { LARGE, on } from './device.ts';

/** CUDA_ERROR_NOT_PERMITTED, _NOT_SUPPORTED and _OPERATING_SYSTEM, which containers and some systems return. */
const WITHHELD = [800, 801, 304];

/**
 * Returns the result of `work`; skips the test with a reason if the system does not support this way of sharing: the driver
 * says so here, or `there` matches the message of an error.
 */
export async function unlessWithheld<T>(
  context: TestContext,
  work: () => T,
  there?: RegExp
): Promise<Awaited<T> | undefined> {
  try {
    return await work();
  } catch (error) {
    const cause: unknown = error instanceof DriverError ? error : (error as Error).cause;
    const isWithheld = cause instanceof DriverError && WITHHELD.includes(cause.status);
    if (!isWithheld && there?.test((error as Error).message) !== true) throw error;
    context.skip((error as Error).message);
    return undefined;
  }
}

/** The names of these errors in messages of the other process. */
export const WITHHELD_THERE = /NOT_PERMITTED|NOT_SUPPORTED|OPERATING_SYSTEM/;

export function numbers(manager: MemoryManagerClass): NDArray {
  using _ = usingMemoryManager(manager);
  // An allocation before it, so that a pool's block does not start its slab.
  using _before = zeros(100, on);
  return arange(48, { ...on, dtype: 'float32' }).reshape(6, 8);
}

function hosted(): NDArray {
  using source = arange(48, { ...on, dtype: 'float32' });
  return emptyShared(48, { ...on, dtype: 'float32' })
    .copyFrom(source)
    .reshape(6, 8);
}

export const ways: readonly (readonly [name: string, way: string, make: () => NDArray])[] = [
  ['the default manager', 'legacy', () => numbers(DefaultCUDAMemoryManager)],
  ['the best-fit pool', 'legacy', () => numbers(BestFitPoolMemoryManager)],
  ['an exportable pool', 'pool', () => numbers(IpcPoolMemoryManager)],
  ['virtual memory', 'vmm', () => numbers(VirtualMemoryManager)],
  ['shared host memory', 'memfd', hosted]
];

export const views: readonly (readonly [name: string, view: (whole: NDArray) => NDArray])[] = [
  ['whole', whole => whole.slice()],
  ['a slice with an offset', whole => whole.slice('2:5', '3:7')],
  ['negative strides', whole => whole.slice('::-1', '::-3')]
];

/** Makes a large array with the default manager. */
export function large(stream: Stream): NDArray {
  using _ = usingMemoryManager(DefaultCUDAMemoryManager);
  return empty(LARGE, { dtype: 'uint8', stream }).fill(0);
}

/** Waits until no process has the lease's array open. */
export async function closed(lease: Lease): Promise<void> {
  lease.release();
  await lease.drained();
}
