/** The manager that is used if no other is set. */

import type { MemoryInfo } from '../../core/device.ts';
import { native } from '../../native/load.ts';
import { HostOnlyCUDAMemoryManager } from '../manager/host-only.ts';
import { ipcHandleOf } from '../manager/ipc-export.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { MemoryPointer } from '../manager/pointer.ts';

/**
 * Allocates with the driver at each call, and frees in batches: when more than 10 frees, or a fifth of the device's memory, are pending
 * (rule 207: deferred deallocation). `STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT` and `STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_RATIO` change
 * these limits.
 */
export class DefaultCUDAMemoryManager extends HostOnlyCUDAMemoryManager {
  /** The version of the plugin interface that this class implements. */
  static readonly interfaceVersion: number = 1;

  override memalloc(size: number): MemoryPointer {
    const { context } = this;
    if (size === 0) return new MemoryPointer(context, 0n, 0);
    const { raw } = native();
    const pointer = this.attempt(size, () => raw.memAlloc(context.native, size));
    const finalizer = this.deferred(size, () => raw.memFree(context.native, pointer), pointer);
    return new MemoryPointer(context, pointer, size, null, finalizer);
  }

  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return ipcHandleOf(memory);
  }

  override getMemoryInfo(): MemoryInfo {
    return this.context.memoryInfo();
  }

  /** Counts of pending frees and their bytes, and the errors of frees that failed (rule 100: failures in finalizers are counted). */
  get pending(): { readonly count: number; readonly bytes: number; readonly failures: readonly unknown[] } {
    const { count, bytes, failures } = this.deallocations;
    return { count, bytes, failures };
  }
}
