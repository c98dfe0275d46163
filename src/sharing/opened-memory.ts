/** Maps and unmaps memory of another process, in each way of sharing. */

import '../memory/ipc-staging.ts';
import { toDevice, type Device } from '../core/device.ts';
import { DriverError, IpcError, StridelabError } from '../base/errors.ts';
import { IpcHandle, sourceDeviceOf } from '../memory/manager/ipc-handle.ts';
import { currentManager } from '../memory/registry.ts';
import type { MemoryKind } from '../native/binding.ts';
import { native } from '../native/load.ts';
import { messageOf } from './channel.ts';
import type { Grant } from './grant.ts';
import { mapFromPool, type Mapping } from './imported-pools.ts';

export interface OpenedMemory extends Mapping {
  readonly device: Device;
  readonly kind: MemoryKind;
}

/**
 * Maps what was granted. `device` matters for host memory, which any device can use.
 * @throws IpcError with the driver's message
 */
export function openMemory(grant: Grant, descriptors: readonly number[], device?: Device): OpenedMemory {
  try {
    return open(grant, descriptors, device);
  } catch (cause) {
    if (!(cause instanceof StridelabError) || cause instanceof IpcError) throw cause;
    const hint =
      cause instanceof DriverError
        ? '. Both processes must see the device, and share an IPC and a process namespace if they are in containers'
        : '';
    throw new IpcError(`memory shared as '${grant.way}' could not be opened: ${messageOf(cause)}${hint}`, {
      cause
    });
  }
}

function open(grant: Grant, descriptors: readonly number[], device?: Device): OpenedMemory {
  const { way, source } = grant;
  if (way === 'none') throw new IpcError('there is nothing to open in an empty array');
  const offset = countIn(grant, 'offset');
  if (way === 'legacy') return openLegacy(grant, offset);
  const descriptor = descriptorIn(descriptors);
  if (way === 'memfd') return openHost(grant, descriptor, offset, device ?? hostDevice(grant));
  const owner = sourceDeviceOf(source);
  const { pointer, close } =
    way === 'pool'
      ? mapFromPool(owner, textIn(grant, 'pool'), textIn(grant, 'data'), descriptor)
      : mapVirtual(owner, descriptor, countIn(grant, 'block'));
  return { device: owner, pointer: pointer + BigInt(offset), kind: 'device', close };
}

function openLegacy(grant: Grant, offset: number): OpenedMemory {
  const { source, view } = grant;
  const handle = textIn(grant, 'handle');
  const memory = IpcHandle.from({ handle, size: view.bytes, offset, source, origin: 'shared' }).open();
  return { device: memory.context, pointer: memory.pointer, kind: 'device', close: () => memory.release() };
}

function mapVirtual(device: Device, descriptor: number, size: number): Mapping {
  const { sharing } = native();
  const { pointer, bytes, handle } = sharing.virtualImport(device.native, descriptor, size);
  return { pointer, close: () => sharing.virtualFree(device.native, pointer, bytes, handle) };
}

function openHost(grant: Grant, descriptor: number, offset: number, device: Device): OpenedMemory {
  const { sharing } = native();
  const bytes = countIn(grant, 'block');
  const host = sharing.hostMap(descriptor, bytes);
  try {
    const pinned = currentManager(device).mempin(null, host, bytes, true);
    const close = (): void => {
      pinned.release();
      sharing.hostUnmap(host, bytes);
    };
    return { device, pointer: pinned.pointer + BigInt(offset), kind: 'pinned', close };
  } catch (error) {
    sharing.hostUnmap(host, bytes);
    throw error;
  }
}

/** Returns the exporter's device if it is visible to this process, otherwise the default one. */
function hostDevice(grant: Grant): Device {
  try {
    return sourceDeviceOf(grant.source);
  } catch {
    return toDevice();
  }
}

function textIn({ memory }: Grant, key: string): string {
  const value = memory[key];
  if (typeof value === 'string') return value;
  throw new IpcError(`the grant of the other process lacks '${key}'`);
}

function countIn({ memory }: Grant, key: string): number {
  const value = memory[key];
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  throw new IpcError(`the grant of the other process lacks '${key}'`);
}

function descriptorIn(descriptors: readonly number[]): number {
  const [descriptor] = descriptors;
  if (descriptor !== undefined) return descriptor;
  throw new IpcError(
    'the file descriptor of the memory did not arrive: this process may have reached its limit of open files (`ulimit -n`)'
  );
}
