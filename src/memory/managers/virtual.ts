/** Device memory with a handle of its own for each allocation, which other processes can map (rule 194). */

import type { MemoryInfo } from '../../core/device.ts';
import { native } from '../../native/load.ts';
import { HostOnlyCUDAMemoryManager } from '../manager/host-only.ts';
import { ipcHandleOf } from '../manager/ipc-export.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { MemoryPointer } from '../manager/pointer.ts';
import { noteShareable } from '../manager/shareable.ts';

/**
 * Device memory by `cuMemCreate` and `cuMemMap`, in whole units of the device (2 MiB): for few, large arrays that are shared, which
 * `share` passes on as 'vmm'. Freed like the default manager's; host memory as that does it.
 */
export class VirtualMemoryManager extends HostOnlyCUDAMemoryManager {
  static readonly interfaceVersion: number = 1;

  override memalloc(size: number): MemoryPointer {
    const { context } = this;
    if (size === 0) return new MemoryPointer(context, 0n, 0);
    const { sharing } = native();
    const { pointer, bytes, handle } = this.attempt(size, () =>
      sharing.virtualAllocate(context.native, size)
    );
    const forget = noteShareable({
      way: 'vmm',
      device: context,
      pointer,
      bytes,
      export: () => ({
        fields: { block: bytes },
        descriptor: sharing.virtualExport(context.native, handle)
      })
    });
    const free = (): void => {
      forget();
      sharing.virtualFree(context.native, pointer, bytes, handle);
    };
    const finalizer = this.deferred(bytes, free, pointer);
    return new MemoryPointer(context, pointer, size, null, finalizer);
  }

  /** Explains, as the driver would only say "invalid value": `share` passes this memory on. @throws IpcError */
  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return ipcHandleOf(memory);
  }

  override getMemoryInfo(): MemoryInfo {
    return this.context.memoryInfo();
  }
}

export { VirtualMemoryManager as _stridelab_memory_manager };
