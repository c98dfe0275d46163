/** Chooses how the memory of an array is passed to other processes (rules 188, 194). */

import type { NDArray } from '../array/array.ts';
import { DriverError, IpcError } from '../base/errors.ts';
import { ipcHandleOf } from '../memory/manager/ipc-export.ts';
import { MemoryPointer } from '../memory/manager/pointer.ts';
import { findShareable, type ShareableBlock, type SharingWay } from '../memory/manager/shareable.ts';
import type { Storage } from '../memory/storage.ts';
import { native } from '../native/load.ts';
import { textOf } from '../base/value-text.ts';
import { messageOf } from './channel.ts';
import type { GrantedView, GrantedWay } from './grant.ts';

/** Memory that is ready to be opened by others, until `close`. */
export interface ExportedMemory {
  readonly way: GrantedWay;
  readonly fields: Readonly<Record<string, string | number>>;
  /** File descriptors that are sent with each grant. */
  readonly descriptors: readonly number[];
  close(): void;
}

/** Storages over memory of other processes, which cannot be shared again. */
export const openedStorages = new WeakSet<Storage>();

export const WAYS = ['auto', 'legacy', 'pool', 'vmm', 'memfd'] as const;

/** The memory that each way requires. */
const NEEDS: Readonly<Record<SharingWay, string>> = {
  legacy: 'memory of cuMemAlloc, which the default and the best-fit manager use',
  pool: 'memory of IpcPoolMemoryManager',
  vmm: 'memory of VirtualMemoryManager',
  memfd: 'host memory of `emptyShared`'
};

/** Exports the memory. @throws IpcError with the reason and the fix if it cannot be shared, or not in this way */
export function exportMemory(
  array: NDArray,
  { first, bytes }: GrantedView,
  as: 'auto' | SharingWay
): ExportedMemory {
  if (!WAYS.includes(as))
    throw new IpcError(
      `unknown way ${textOf(as)} in as: expected one of ${WAYS.map(way => `'${way}'`).join(', ')}`
    );
  if (bytes === 0) return { way: 'none', fields: {}, descriptors: [], close: () => undefined };
  const { storage } = array;
  if (openedStorages.has(storage))
    throw new IpcError(
      'the memory belongs to another process, and only its owner can share it: pass on its token, or share a copy()'
    );
  const pointer = array.pointer - BigInt(first);
  const block = findShareable(pointer, bytes);
  if (block !== undefined) {
    if (as !== 'auto' && as !== block.way)
      refuseWay(as, `this is ${NEEDS[block.way]}, which is shared as '${block.way}'`);
    return exportBlock(block, Number(pointer - block.pointer));
  }
  refuseHostMemory(storage, as);
  if (as !== 'auto' && as !== 'legacy') refuseWay(as, 'this is other memory');
  return exportLegacy(new MemoryPointer(array.device, pointer, bytes, array));
}

function refuseWay(way: SharingWay, found: string): never {
  throw new IpcError(
    `'${way}' requires ${NEEDS[way]}, but ${found}: leave out \`as\`, or share a copy in such memory (rule 194: the reason)`
  );
}

function refuseHostMemory(storage: Storage, as: 'auto' | SharingWay): void {
  const { kind } = storage;
  if (kind === 'managed')
    throw new IpcError(
      'managed memory moves between host and device of one process and cannot be shared: share a copy() (rule 194: the reason)'
    );
  if (kind !== 'pinned') return;
  if (as === 'auto' || as === 'memfd')
    throw new IpcError(
      'other processes cannot open this page-locked memory: create the array with `emptyShared`, or share a copy() (rule 194: the reason)'
    );
  refuseWay(as, 'this is page-locked host memory');
}

function exportLegacy(memory: MemoryPointer): ExportedMemory {
  const { handle, offset } = explained('legacy', () => ipcHandleOf(memory)).toJSON();
  return { way: 'legacy', fields: { handle, offset }, descriptors: [], close: () => undefined };
}

function exportBlock(block: ShareableBlock, offset: number): ExportedMemory {
  const { fields, descriptor } = explained(block.way, () => block.export());
  return {
    way: block.way,
    fields: { ...fields, offset },
    descriptors: [descriptor],
    close: () => native().channels.closeDescriptor(descriptor)
  };
}

/** Runs `work`, and adds advice to errors of the driver. @throws IpcError */
function explained<Result>(way: SharingWay, work: () => Result): Result {
  try {
    return work();
  } catch (cause) {
    if (!(cause instanceof DriverError)) throw cause;
    const inside =
      "Containers and WSL2 may not allow it: give both processes the host's IPC namespace, or share in another way";
    const text = `the driver refused to share the memory as '${way}': ${messageOf(cause)}. ${inside}`;
    throw new IpcError(text, { cause });
  }
}
