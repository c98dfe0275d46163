/** Device memory with a handle for each allocation, which other processes can map (rule 194). */

import { native } from '../../native/load.ts';
import { MemoryPointer } from '../manager/pointer.ts';
import { noteShareable } from '../manager/shareable.ts';
import { DefaultCUDAMemoryManager } from './default.ts';

/**
 * Allocates device memory with `cuMemCreate` and `cuMemMap`, in units of the device's granularity (2 MiB): for few, large, shared arrays,
 * which `share` passes on as 'vmm'; this memory has no IPC handle. Frees, and allocates host memory, like the default manager.
 */
export class VirtualMemoryManager extends DefaultCUDAMemoryManager {
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
}

export { VirtualMemoryManager as _stridelab_memory_manager };
