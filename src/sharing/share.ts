/** Arrays that other processes open. */

import type { NDArray } from '../array/array.ts';
import { IpcError } from '../base/errors.ts';
import { requireSupported } from '../memory/manager/ipc-handle.ts';
import type { SharingWay } from '../memory/manager/shareable.ts';
import { requireTimeout } from './channel.ts';
import { exportMemory } from './exported-memory.ts';
import { viewOf } from './grant.ts';
import { Lease } from './lease.ts';

/** Options of `share`. */
export interface ShareOptions {
  /** How the memory is passed; chosen by its kind if left out. */
  readonly as?: 'auto' | SharingWay | undefined;
  /** Whether other processes may only read. Always true for a read-only array. */
  readonly readOnly?: boolean | undefined;
  /** Milliseconds after which no further process can open the array; unlimited if left out. */
  readonly timeout?: number | undefined;
}

/**
 * Shares an array with other processes of this user on this machine, without a copy. Send them the lease's token, and dispose of the lease
 * once no other process needs to open the array. The memory is kept as long as any process has it open. Work of the other processes starts
 * after the work that is pending when they open the array; later work here starts after they have released it. Other processes can open the
 * array only while the event loop of this process runs.
 * @throws IpcError with the reason and the fix if this memory cannot be shared (rule 194), FreedError
 */
export async function share(array: NDArray, options: ShareOptions = {}): Promise<Lease> {
  const { as = 'auto', readOnly = false, timeout } = options;
  if (timeout !== undefined) requireTimeout(timeout);
  requireSupported();
  if (array.mask !== null)
    throw new IpcError(
      'an array with a mask cannot be shared: share `withMask(null)` and the mask separately'
    );
  const view = viewOf(array, readOnly || array.exportedReadOnly);
  const memory = exportMemory(array, view, as);
  try {
    return await Promise.resolve(new Lease(array, memory, view, timeout));
  } catch (error) {
    memory.close();
    throw error;
  }
}
