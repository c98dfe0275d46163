/** Plugins that tests register. */

import type { Device, MemoryInfo } from '../../../src/core/device.ts';
import { devices } from '../../../src/core/device.ts';
import {
  BaseCUDAMemoryManager,
  HostOnlyCUDAMemoryManager,
  ipcHandleOf,
  MemoryManagerAdaptor,
  MemoryPointer,
  PinnedMemory,
  type HostMemory,
  type IpcHandle
} from '../../../src/memory/index.ts';
import { native } from '../../../src/native/load.ts';

export const simulated = devices().find(device => device.simulated) as Device;
export const MEBI = 2 ** 20;

/** The minimal plugin for device memory, like NBEP 7's sketch for RMM: allocates and frees immediately. */
export class DeviceOnlyPlugin extends HostOnlyCUDAMemoryManager {
  static readonly interfaceVersion = 1;
  /** Allocations and frees in order: `+` and `-` with the bytes. */
  readonly log: string[] = [];

  override memalloc(size: number): MemoryPointer {
    const { context, log } = this;
    if (size === 0) return new MemoryPointer(context, 0n, 0);
    const pointer = native().raw.memAlloc(context.native, size);
    log.push(`+${size}`);
    const finalizer = this.allocations.add(
      () => native().raw.memFree(context.native, pointer),
      free => {
        log.push(`-${size}`);
        free();
      }
    );
    return new MemoryPointer(context, pointer, size, null, finalizer);
  }

  override getMemoryInfo(): MemoryInfo {
    return this.context.memoryInfo();
  }

  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return ipcHandleOf(memory);
  }

  /** Bytes of host memory in pending frees, and the capacity to which their limit refers. */
  get pendingHost(): { readonly bytes: number; readonly capacity: number | null } {
    return { bytes: this.deallocations.bytes, capacity: this.deallocations.capacity };
  }
}

/** A plugin that implements everything itself, with host memory in plain buffers. */
export class StandAlonePlugin extends BaseCUDAMemoryManager {
  calls: string[] = [];

  override interfaceVersion(): number {
    return 1;
  }

  override memalloc(size: number): MemoryPointer {
    this.calls.push(`memalloc ${size}`);
    const { context } = this;
    const pointer = native().raw.memAlloc(context.native, size);
    return new MemoryPointer(context, pointer, size, null, () => {
      this.calls.push(`free ${size}`);
      native().raw.memFree(context.native, pointer);
    });
  }

  override memhostalloc(size: number): HostMemory {
    return new PinnedMemory(this.context, 0n, 0, new ArrayBuffer(size));
  }

  override mempin(owner: unknown, pointer: bigint, size: number): HostMemory {
    return new PinnedMemory(this.context, pointer, size, owner);
  }

  override initialize(): void {
    this.calls.push('initialize');
  }

  override getIpcHandle(memory: MemoryPointer): IpcHandle {
    return ipcHandleOf(memory);
  }

  override getMemoryInfo(): MemoryInfo {
    return this.context.memoryInfo();
  }

  override reset(): void {
    this.calls.push('reset');
  }

  override deferCleanup(): Disposable {
    this.calls.push('deferCleanup');
    return { [Symbol.dispose]: () => undefined };
  }
}

/** Forwards everything unchanged. */
export class TransparentAdaptor extends MemoryManagerAdaptor {
  protected override freed(): void {}
}
