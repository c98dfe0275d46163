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
import { mapFromPool } from './imported-pools.ts';

export interface OpenedMemory {
  readonly device: Device;
  /** The device address of the lowest byte of any element. */
  readonly pointer: bigint;
  readonly kind: MemoryKind;
  /** Ends the mapping. No work may still use it. */
  close(): void;
}

/**
 * Maps what was granted. `device` matters for host memory, which any device can use.
 * @throws IpcError with what the driver said
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
  switch (grant.way) {
    case 'none':
      throw new IpcError('there is nothing to open in an empty array');
    case 'legacy':
      return openLegacy(grant);
    case 'pool': {
      const source = sourceDeviceOf(grant.source);
      const { pointer, close } = mapFromPool(
        source,
        textIn(grant, 'pool'),
        textIn(grant, 'data'),
        descriptorIn(descriptors)
      );
      return { device: source, pointer: pointer + BigInt(countIn(grant, 'offset')), kind: 'device', close };
    }
    case 'vmm':
      return openVirtual(grant, descriptorIn(descriptors));
    case 'memfd':
      return openHost(grant, descriptorIn(descriptors), device ?? hostDevice(grant));
  }
}

function openLegacy(grant: Grant): OpenedMemory {
  const memory = IpcHandle.from({
    handle: textIn(grant, 'handle'),
    size: grant.view.bytes,
    offset: countIn(grant, 'offset'),
    source: grant.source,
    origin: 'shared'
  }).open();
  return {
    device: memory.context,
    pointer: memory.pointer,
    kind: 'device',
    close: () => memory.release()
  };
}

function openVirtual(grant: Grant, descriptor: number): OpenedMemory {
  const device = sourceDeviceOf(grant.source);
  const { sharing } = native();
  const block = sharing.virtualImport(device.native, descriptor, countIn(grant, 'block'));
  return {
    device,
    pointer: block.pointer + BigInt(countIn(grant, 'offset')),
    kind: 'device',
    close: () => sharing.virtualFree(device.native, block.pointer, block.bytes, block.handle)
  };
}

function openHost(grant: Grant, descriptor: number, device: Device): OpenedMemory {
  const { sharing } = native();
  const bytes = countIn(grant, 'block');
  const host = sharing.hostMap(descriptor, bytes);
  try {
    const pinned = currentManager(device).mempin(null, host, bytes, true);
    return {
      device,
      pointer: pinned.pointer + BigInt(countIn(grant, 'offset')),
      kind: 'pinned',
      close: () => {
        pinned.release();
        sharing.hostUnmap(host, bytes);
      }
    };
  } catch (error) {
    sharing.hostUnmap(host, bytes);
    throw error;
  }
}

/** The exporter's device where this process sees it, else the default one. */
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
    'no descriptor of the memory came along: this process may have reached its limit of open files (`ulimit -n`)'
  );
}
