/** Memory of a device without an array around it, from the manager in force. */

import type { DeviceLike, MemoryInfo } from '../core/device.ts';
import type { MemoryKind } from '../native/binding.ts';
import { ArgumentError } from '../base/errors.ts';
import { memoryObserver } from './manager/observer.ts';
import type { BaseCUDAMemoryManager } from './manager/base.ts';
import type { HostAllocOptions, HostMemory } from './manager/base.ts';
import { callDeferCleanup } from './manager/checks.ts';
import type { MappedMemory, PinnedMemory } from './manager/host-memory.ts';
import type { MemoryPointer } from './manager/pointer.ts';
import { currentManager } from './registry.ts';
import { textOf } from '../base/value-text.ts';

export interface DeviceOption {
  /** The default device if left out. */
  readonly device?: DeviceLike | undefined;
}

function requireSize(size: number): void {
  if (Number.isSafeInteger(size) && size >= 0) return;
  throw new ArgumentError(`${textOf(size)} is not a number of bytes`);
}

/** Has a memory log hear of an allocation, if one listens. */
function observed(
  device: DeviceLike | undefined,
  kind: MemoryKind,
  bytes: number,
  attempt: (manager: BaseCUDAMemoryManager) => MemoryPointer
): MemoryPointer {
  const manager = currentManager(device);
  const request = { device: manager.context, kind, bytes, stream: null };
  let memory: MemoryPointer;
  try {
    memory = attempt(manager);
  } catch (error) {
    memoryObserver.current?.refused(request, error);
    throw error;
  }
  memoryObserver.current?.allocated(request, manager, memory, null);
  return memory;
}

/** Device memory of `size` bytes, freed by `dispose`, `free` or with the last reference (rules 179, 211). @throws OutOfMemoryError */
export function memalloc(size: number, options: DeviceOption = {}): MemoryPointer {
  requireSize(size);
  return observed(options.device, 'device', size, manager => manager.memalloc(size)).own();
}

/** Page-locked host memory of `size` bytes, with an ArrayBuffer over it (rules 181, 212). @throws OutOfMemoryError */
export function memhostalloc(
  size: number,
  options: HostAllocOptions & DeviceOption & { readonly mapped: true }
): MappedMemory;
export function memhostalloc(
  size: number,
  options?: HostAllocOptions & DeviceOption & { readonly mapped?: false }
): PinnedMemory;
export function memhostalloc(size: number, options: HostAllocOptions & DeviceOption = {}): HostMemory {
  requireSize(size);
  const { device, mapped, portable, wc } = options;
  return currentManager(device).memhostalloc(size, { mapped, portable, wc });
}

/**
 * Page-locks `size` bytes of host memory that exist at `pointer`, and keeps `owner` until they are unlocked, which disposing does
 * at once (rules 182, 183). @throws MemoryManagerError when `mapped` is asked and the device cannot
 */
export function mempin(
  owner: unknown,
  pointer: bigint,
  size: number,
  options: DeviceOption & { readonly mapped?: boolean } = {}
): HostMemory {
  requireSize(size);
  if (typeof pointer !== 'bigint') throw new ArgumentError(`address ${textOf(pointer)} is not a bigint`);
  return currentManager(options.device).mempin(owner, pointer, size, options.mapped ?? false);
}

/** Managed memory, where the manager offers it (rule 215). @throws MemoryManagerError where it does not, OutOfMemoryError */
export function memallocmanaged(
  size: number,
  options: DeviceOption & { readonly attachGlobal?: boolean } = {}
): MemoryPointer {
  requireSize(size);
  const { device, attachGlobal = true } = options;
  return observed(device, 'managed', size, manager => manager.memallocmanaged(size, attachGlobal)).own();
}

/** Bytes free and in all, as the manager counts them (rule 187). @throws MemoryManagerError where it cannot tell */
export function getMemoryInfo(device?: DeviceLike): MemoryInfo {
  return currentManager(device).getMemoryInfo();
}

/** Puts off frees until the result is disposed; nests (rules 196 to 198). What it means under a plugin is the plugin's to say. */
export function deferCleanup(device?: DeviceLike): Disposable {
  return callDeferCleanup(currentManager(device));
}
