/** All allocations of the library: the manager in force allocates the memory, native code orders its release. */

import type { Device } from '../core/device.ts';
import { MemoryManagerError } from '../base/errors.ts';
import { isLooking } from '../core/look.ts';
import type { MemoryKind, NativeStorage } from '../native/binding.ts';
import { KeyedObject } from '../native/keyed-object.ts';
import { native } from '../native/load.ts';
import type { Stream } from '../core/stream.ts';
import type { BaseCUDAMemoryManager } from './manager/base.ts';
import { requireMemory } from './manager/checks.ts';
import { drainReleases } from './manager/out-of-memory.ts';
import { MemoryPointer } from './manager/pointer.ts';
import { currentContext, type MemoryContext } from './registry.ts';
import { noteReleased } from './manager/waiting.ts';

export interface AllocatedMemory {
  readonly memory: MemoryPointer;
  readonly storage: KeyedObject<NativeStorage>;
  /** Null for empty memory, which has no manager. */
  readonly context: MemoryContext | null;
}

/**
 * Allocates memory. `collectable` adds the bytes to the garbage collector's external memory, because a collection may free them.
 * @throws OutOfMemoryError, MemoryManagerError if the manager breaks its interface or does not support the kind of memory
 */
export function allocateMemory(
  device: Device,
  bytes: number,
  kind: MemoryKind,
  stream?: Stream,
  collectable = true
): AllocatedMemory {
  if (bytes === 0) {
    const storage = new KeyedObject(native().allocate(device.native, 0, kind));
    return { memory: new MemoryPointer(device, 0n, 0), storage, context: null };
  }
  // Releases run code of producers, which a look must not run.
  if (!isLooking()) drainReleases();
  const context = currentContext(device);
  const memory = request(context.manager, bytes, kind, stream);
  requireMemory(memory, bytes, context.manager);
  return { memory, storage: memory.block?.take() ?? adopt(memory, bytes, kind, collectable), context };
}

function request(
  manager: BaseCUDAMemoryManager,
  bytes: number,
  kind: MemoryKind,
  stream: Stream | undefined
): MemoryPointer {
  switch (kind) {
    case 'device':
      if (stream === undefined || manager.memallocAsync === undefined) return manager.memalloc(bytes);
      return manager.memallocAsync(bytes, stream);
    case 'managed':
      return manager.memallocmanaged(bytes);
    case 'pinned': {
      const memory = manager.memhostalloc(bytes, { mapped: true, portable: true });
      // Checked by member, because a plugin may use another copy of this package (rule 234).
      if ('hostPointer' in memory) return memory;
      memory.release();
      throw new MemoryManagerError(
        `${manager.constructor.name}: memhostalloc did not map the memory (rule 181: mapped memory)`
      );
    }
  }
}

/** Makes a storage that releases the pointer after its last reference is released and its work is done. */
function adopt(
  memory: MemoryPointer,
  bytes: number,
  kind: MemoryKind,
  collectable: boolean
): KeyedObject<NativeStorage> {
  const { context, pointer, block, ready } = memory;
  try {
    // A reused block keeps its storage, so that the storage spans the entire block.
    const span = block?.bytes ?? bytes;
    const pressure = collectable ? span : 0;
    const release = (): void => {
      noteReleased(pointer);
      memory.release();
    };
    const storage = native().adopt(context.native, pointer, span, kind, release, pressure);
    if (ready !== null) storage.recordUse(ready.native, 'write');
    return new KeyedObject(storage);
  } catch (error) {
    memory.release();
    throw error;
  }
}
