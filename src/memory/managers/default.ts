/** The manager that is used if no other is set. */

import type { MemoryInfo } from '../../core/device.ts';
import { isLooking } from '../../core/look.ts';
import type { Stream } from '../../core/stream.ts';
import { native } from '../../native/load.ts';
import { DeferredBlock } from '../manager/deferred-block.ts';
import { HostOnlyCUDAMemoryManager } from '../manager/host-only.ts';
import { ipcHandleOf } from '../manager/ipc-export.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { MemoryPointer } from '../manager/pointer.ts';

/**
 * Allocates with the driver, and frees in batches: when more than 10 frees, or a fifth of the device's memory, are pending (rule 207:
 * deferred deallocation). `STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_COUNT` and `STRIDELAB_CUDA_MAX_PENDING_DEALLOCS_RATIO` change these limits.
 * A new array takes memory of its size whose free is pending, if that was used on the same stream only, or on several.
 */
export class DefaultCUDAMemoryManager extends HostOnlyCUDAMemoryManager {
  /** The version of the plugin interface that this class implements. */
  static readonly interfaceVersion: number = 2;

  override memalloc(size: number): MemoryPointer {
    const { context } = this;
    if (size === 0) return new MemoryPointer(context, 0n, 0);
    const { raw } = native();
    const pointer = this.attempt(size, () => raw.memAlloc(context.native, size));
    const finalizer = this.deferred(size, () => raw.memFree(context.native, pointer), pointer);
    return new MemoryPointer(context, pointer, size, null, finalizer);
  }

  override memallocAsync(size: number, stream: Stream): MemoryPointer {
    // An inspection must not change what later arrays get.
    if (size === 0 || isLooking()) return this.memalloc(size);
    const kept = this.deallocations.take(size, stream);
    if (kept !== null) return kept.readyFor(stream);
    const memory = this.memalloc(size);
    memory.block = new DeferredBlock(memory, this.deallocations);
    return memory;
  }

  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    if (memory.block instanceof DeferredBlock) memory.block.reusable = false;
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
