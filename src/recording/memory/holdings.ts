/** Memory of a device held by this library, across all its managers. */

import type { Device } from '../../core/device.ts';
import type { BaseCUDAMemoryManager } from '../../memory/manager/base.ts';
import { managersOf } from '../../memory/manager/kept-memory.ts';
import { MemoryManagerAdaptor } from '../../memory/managers/adaptor.ts';
import type { MemorySegment } from '../../memory/manager/segments.ts';
import { isWaiting } from '../../memory/manager/waiting.ts';

export interface Holdings {
  /** Class names of the managers that hold, or may hold, memory. */
  readonly managers: readonly string[];
  readonly segments: readonly MemorySegment[];
  /** Bytes of all segments; of the blocks in use, and of those waiting to be released. */
  readonly held: number;
  readonly used: number;
  readonly waiting: number;
  /** Bytes of waiting blocks whose storages still count as live. */
  readonly reusable: number;
  /** The largest free block in slabs, and the sum of all; null if a pool does not report it. */
  readonly largest: number | null;
  readonly holes: number | null;
}

/** Returns the holdings of all managers of a device. Queries the managers, and the driver only for the size of its pools. */
export const holdingsOn = (device: Device): Holdings => holdingsOf(device, managersOf(device));

/** Returns the holdings of one manager, or of the one that it wraps. */
export function holdingsBehind(manager: BaseCUDAMemoryManager): Holdings {
  let inner = manager;
  while (inner.segments === undefined && inner instanceof MemoryManagerAdaptor) inner = inner.upstream;
  return holdingsOf(manager.context, [inner]);
}

function holdingsOf(device: Device, all: readonly BaseCUDAMemoryManager[]): Holdings {
  const managers = all.filter(manager => manager.segments !== undefined);
  const segments = managers.flatMap(manager => manager.segments?.() ?? []);
  let [held, used, waiting, reusable, largest, holes] = [0, 0, 0, 0, 0, 0];
  for (const segment of segments) {
    held += segment.bytes;
    let run = 0;
    for (const { pointer, bytes, state, reusable: storageKept = false } of segment.blocks) {
      // A released driver allocation is not cached: only its free was deferred.
      const ends =
        state === 'used' ? isWaiting(device, pointer) : state === 'kept' && segment.kind === 'block';
      if (ends) waiting += bytes;
      if (ends && storageKept) reusable += bytes;
      if (!ends && state === 'used') used += bytes;
      // Adjacent free blocks can be allocated as one.
      run = state === 'free' ? run + bytes : 0;
      if (state === 'free') holes += bytes;
      largest = Math.max(largest, run);
    }
  }
  const silent = segments.some(({ kind, bytes }) => kind === 'pool' && bytes > 0);
  const names = managers.map(manager => nameOf(manager.constructor));
  return {
    managers: [...new Set(names)],
    segments,
    held,
    used,
    waiting,
    reusable,
    largest: silent ? null : largest,
    holes: silent ? null : holes
  };
}

/** Returns the name of the nearest named class: adaptors are registered as unnamed classes. */
export function nameOf(managerClass: { readonly name: string } | null): string {
  if (managerClass === null) return 'a memory manager';
  return managerClass.name || nameOf(Object.getPrototypeOf(managerClass) as typeof managerClass | null);
}
