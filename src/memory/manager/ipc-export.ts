/** Makes IPC handles for memory of any manager that allocates with the driver (rules 188, 194). */

import { IpcError } from '../../base/errors.ts';
import { native } from '../../native/load.ts';
import { IpcHandle, requireSupported } from './ipc-handle.ts';
import type { MemoryPointer } from './pointer.ts';

/**
 * Makes an IPC handle for the allocation that contains the memory, with the memory's offset inside it. For `getIpcHandle` of plugins whose
 * memory comes from `cuMemAlloc`, whole or in parts.
 * @throws IpcError with the reason if the memory cannot be shared
 */
export function ipcHandleOf(memory: MemoryPointer): IpcHandle {
  requireSupported();
  const { context, pointer, size } = memory;
  if (memory.freed) throw new IpcError('the memory was freed: share it before it is freed');
  if (pointer === 0n) throw new IpcError('empty memory cannot be shared: it has no address');
  if (memory.kind !== 'device')
    throw new IpcError(
      `${memory.kind} memory cannot be shared by IPC handle: only device memory can (rule 194: the reason)`
    );
  const attributes = context.native.pointerAttributes(pointer);
  if (attributes === null) throw new IpcError(`0x${pointer.toString(16)} is not a known device allocation`);
  if (!attributes.legacyIpcCapable)
    throw new IpcError(
      'this memory comes from a stream-ordered pool, a virtual mapping or another process, which IPC handles cannot share: ' +
        'allocate it with the default or the best-fit manager, or with IpcPoolMemoryManager and use `share` (rule 194: the reason)'
    );
  const handle = native().raw.ipcMemHandle(context.native, attributes.rangeStart);
  const source = { pciBusId: context.native.pciBusId, uuid: context.uuid };
  return new IpcHandle(memory, handle, size, source, Number(pointer - attributes.rangeStart));
}
