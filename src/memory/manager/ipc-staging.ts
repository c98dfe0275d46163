/** Moves memory to a device that cannot map it, over the host (rule 192). */

import type { Device } from '../../device.ts';
import type { NativeStorage } from '../../native/binding.ts';
import { native } from '../../native/load.ts';
import type { MemoryPointer } from './pointer.ts';
import { currentManager } from './registry.ts';

/** A copy on `device`, allocated by its manager, which alone owns it. Blocks until it is there. */
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
