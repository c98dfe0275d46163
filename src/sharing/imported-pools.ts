/** Pools of other processes: each is imported once, and each allocation of it mapped once. */

import type { Device } from '../core/device.ts';
import { native } from '../native/load.ts';
import { Stream } from '../core/stream.ts';

export interface Mapping {
  readonly pointer: bigint;
  /** Ends the mapping. No work may still use it. */
  close(): void;
}

interface ImportedPool {
  readonly handle: bigint;
  /** By the driver's 64 bytes, which name the allocation as long as it is shared. */
  readonly allocations: Map<string, { readonly pointer: bigint; references: number }>;
}

const pools = new Map<string, ImportedPool>();
/** Streams that end mappings, one for each device. */
const streams = new Map<Device, Stream>();

/** Maps the allocation `data` (base64) of the pool `name`, which identifies it in all processes. @throws DriverError */
export function mapFromPool(device: Device, name: string, data: string, descriptor: number): Mapping {
  const key = `${device.label} ${name}`;
  const { sharing } = native();
  let pool = pools.get(key);
  if (pool === undefined) {
    pool = { handle: sharing.poolImport(device.native, descriptor), allocations: new Map() };
    pools.set(key, pool);
  }
  const { handle, allocations } = pool;
  const drop = (): void => {
    if (allocations.size > 0) return;
    pools.delete(key);
    sharing.poolDestroy(device.native, handle);
  };
  let allocation = allocations.get(data);
  if (allocation === undefined) {
    try {
      const bytes = Buffer.from(data, 'base64');
      allocation = { pointer: sharing.poolImportPointer(device.native, handle, bytes), references: 0 };
    } catch (error) {
      drop();
      throw error;
    }
    allocations.set(data, allocation);
  }
  const found = allocation;
  found.references++;
  const close = (): void => {
    if (--found.references > 0) return;
    allocations.delete(data);
    unmap(device, found.pointer);
    drop();
  };
  return { pointer: found.pointer, close };
}

/** Waits for the driver, because the owner may free the memory when this returns. */
function unmap(device: Device, pointer: bigint): void {
  let stream = streams.get(device);
  if (stream === undefined) {
    stream = new Stream({ device });
    streams.set(device, stream);
  }
  native().raw.memFreeAsync(device.native, pointer, stream.native);
  stream.synchronize();
}
