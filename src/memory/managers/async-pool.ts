/** The driver's own stream-ordered pool (rules 217, 220). */

import type { Device, MemoryInfo } from '../../device.ts';
import { native } from '../../native/load.ts';
import { Stream } from '../../stream.ts';
import { HostOnlyCUDAMemoryManager } from '../manager/host-only.ts';
import { ipcHandleOf } from '../manager/ipc-export.ts';
import type { IpcHandle } from '../manager/ipc-handle.ts';
import { withRetries } from '../manager/out-of-memory.ts';
import { MemoryPointer } from '../manager/pointer.ts';

/** The pool keeps everything: at the driver's default of 0 each synchronisation empties it, which costs most of its speed. */
const KEEP_ALL = 0xffff_ffff_ffff_ffffn;

/**
 * Device memory by `cuMemAllocAsync`; host memory as the default manager does it. Memory goes back to the driver's pool when its
 * work is done, inside `deferCleanup` too (rule 197). It cannot go to another process by IPC handle (rule 194).
 */
export class AsyncPoolMemoryManager extends HostOnlyCUDAMemoryManager {
  static readonly interfaceVersion: number = 2;
  #ownStream: Stream | undefined;

  constructor(context: Device) {
    super(context);
    native().raw.poolSetReleaseThreshold(context.native, KEEP_ALL);
  }

  override memalloc(size: number): MemoryPointer {
    const stream = this.#stream;
    const memory = this.memallocAsync(size, stream);
    // Whoever calls this knows of no stream to wait for.
    stream.synchronize();
    memory.ready = null;
    return memory;
  }

  override memallocAsync(size: number, stream: Stream): MemoryPointer {
    const { context } = this;
    if (size === 0) return new MemoryPointer(context, 0n, 0);
    const { raw } = native();
    const pointer = withRetries(
      context,
      size,
      () => this.trim(),
      () => raw.memAllocAsync(context.native, size, stream.native)
    );
    const finalizer = this.allocations.add(
      () => {
        const order = stream.destroyed ? this.#stream : stream;
        raw.memFreeAsync(context.native, pointer, order.native);
      },
      free => free()
    );
    const memory = new MemoryPointer(context, pointer, size, null, finalizer);
    memory.ready = stream;
    return memory;
  }

  /** Explains, as the driver would only say "invalid value". @throws IpcError */
  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return ipcHandleOf(memory);
  }

  /** As the driver counts: what its pool keeps is not free. */
  override getMemoryInfo(): MemoryInfo {
    return this.context.memoryInfo();
  }

  override reset(): void {
    super.reset();
    this.trim();
  }

  override giveBack(): void {
    this.trim();
  }

  /** Gives what the pool holds beyond `keep` bytes back to the device. */
  trim(keep = 0): void {
    this.deallocations.flush();
    native().raw.poolTrim(this.context.native, keep);
  }

  get #stream(): Stream {
    this.#ownStream ??= new Stream({ device: this.context });
    return this.#ownStream;
  }
}

export { AsyncPoolMemoryManager as _stridelab_memory_manager };
