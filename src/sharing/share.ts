/** Arrays that other processes open. */

import type { NDArray } from '../array/array.ts';
import { ArgumentError, IpcError } from '../base/errors.ts';
import { requireSupported } from '../memory/manager/ipc-handle.ts';
import type { SharingWay } from '../memory/manager/shareable.ts';
import { textOf } from '../base/value-text.ts';
import { exportMemory } from './exported-memory.ts';
import { viewOf } from './grant.ts';
import { Lease } from './lease.ts';

export interface ShareOptions {
  /** How the memory goes; by its kind if left out. */
  readonly as?: 'auto' | SharingWay | undefined;
  /** Whether others may only read; always so for a read-only array. */
  readonly readOnly?: boolean | undefined;
  /** Milliseconds after which nobody may open it any more; for ever if left out. */
  readonly timeout?: number | undefined;
}

/**
 * Lets other processes of this user on this machine open the array, without a copy: pass them the lease's token, and dispose of the
 * lease when nobody else is to open it. The array's memory lives as long as any of them has it open. Each of them starts after the
 * work that is pending on the memory when it opens; later work here starts after what they did once they let go. The event loop
 * has to turn here for others to open.
 * @throws IpcError saying why this memory cannot be shared and what would help (rule 194), FreedError
 */
export async function share(array: NDArray, options: ShareOptions = {}): Promise<Lease> {
  const { as = 'auto', readOnly = false, timeout } = options;
  if (timeout !== undefined && !(timeout >= 0 && timeout < 2 ** 31))
    throw new ArgumentError(`a timeout of ${textOf(timeout)} is no number of milliseconds`);
  requireSupported();
  if (array.mask !== null)
    throw new IpcError('masked elements do not cross: share `withMask(null)` and, beside it, the mask');
  const view = viewOf(array, readOnly || array.exportedReadOnly);
  const memory = exportMemory(array, view, as);
  try {
    return await Promise.resolve(new Lease(array, memory, view, timeout));
  } catch (error) {
    memory.close();
    throw error;
  }
}
