/** The manager that is used when no other was set. */

import type { MemoryInfo } from '../../core/device.ts';
import { native } from '../../native/load.ts';
import { HostOnlyCUDAMemoryManager } from '../manager/host-only.ts';
import { ipcHandleOf } from '../manager/ipc-export.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { MemoryPointer } from '../manager/pointer.ts';

/**
 * Allocates with the driver at each call, and frees when more than 10 frees or a fifth of the device wait (rule 207):
 * `STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT` and `STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_RATIO` set other limits.
 */
export class DefaultCUDAMemoryManager extends HostOnlyCUDAMemoryManager {
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

  /** Numbers of frees and bytes that wait, and errors of frees that failed (rule 100). */
  get pending(): { readonly count: number; readonly bytes: number; readonly failures: readonly unknown[] } {
    const { count, bytes, failures } = this.deallocations;
    return { count, bytes, failures };
  }
}
