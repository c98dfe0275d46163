/** `IpcHandle.open`: maps memory of another process, or copies it through the host to a device that cannot map it (rule 192). Imported for its effect. */

import { addMembers } from '../base/add-members.ts';
import type { Device } from '../core/device.ts';
import type { NativeStorage } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { IpcHandle } from './manager/ipc-handle.ts';
import type { MemoryPointer } from './manager/pointer.ts';
import { currentManager } from './registry.ts';

addMembers(IpcHandle.prototype, {
  open(this: IpcHandle, device = this.sourceDevice()): MemoryPointer {
    const mapped = this.map();
    if (device === mapped.context) return mapped;
    try {
      return stageThroughHost(mapped, device);
    } finally {
      mapped.release();
    }
  }
});

/** Copies memory to `device`, into memory of that device's manager. Blocks until the copy is complete. */
export function stageThroughHost(memory: MemoryPointer, device: Device): MemoryPointer {
  const bytes = new Uint8Array(memory.size);
  const source = borrowed(memory);
  try {
    source.readToHost(0, bytes, memory.context.native.legacyStream());
  } finally {
    source.release();
  }
  const copy = currentManager(device).memalloc(memory.size);
  const target = borrowed(copy);
  try {
    const stream = device.native.legacyStream();
    target.writeFromHost(0, bytes, stream);
    stream.synchronize();
  } catch (error) {
    copy.release();
    throw error;
  } finally {
    target.release();
  }
  return copy.own();
}

function borrowed(memory: MemoryPointer): NativeStorage {
  return native().adopt(memory.context.native, memory.pointer, memory.size, memory.kind, null);
}
