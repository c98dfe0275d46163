/** Memory of a device without an array around it, from the manager in force. */

import type { DeviceLike, MemoryInfo } from '../core/device.ts';
import type { MemoryKind } from '../native/binding.ts';
import { ArgumentError } from '../base/errors.ts';
import { memoryObserver } from './manager/observer.ts';
import type { BaseCUDAMemoryManager, HostAllocOptions, HostMemory } from './manager/base.ts';
import { callDeferCleanup } from './manager/checks.ts';
import type { MappedMemory, PinnedMemory } from './manager/host-memory.ts';
import type { MemoryPointer } from './manager/pointer.ts';
import { currentManager } from './registry.ts';
import { textOf } from '../base/value-text.ts';

/** The device that a memory function works on. */
export interface DeviceOption {
  /** The device; the default device if left out. */
  readonly device?: DeviceLike | undefined;
}

function requireSize(size: number): void {
  if (Number.isSafeInteger(size) && size >= 0) return;
  throw new ArgumentError(`size is ${textOf(size)}, expected a number of bytes`);
}

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

/**
 * Allocates `size` bytes of device memory (rule 179). Freed by `dispose`, `free` or with the last reference (rule 211: freed exactly once).
 * @throws OutOfMemoryError
 */
export function memalloc(size: number, options: DeviceOption = {}): MemoryPointer {
  requireSize(size);
  return observed(options.device, 'device', size, manager => manager.memalloc(size)).own();
}

/**
 * Allocates `size` bytes of page-locked host memory, with an ArrayBuffer over it (rule 181: mapped, portable and write-combined memory).
 * @throws OutOfMemoryError
 */
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
 * Page-locks `size` bytes of existing host memory at `pointer`, and keeps `owner` until they are unlocked (rule 182). Disposing the result
 * unlocks immediately (rule 183).
 * @throws MemoryManagerError if `mapped` is true and the device cannot map host memory
 */
export function mempin(
  owner: unknown,
  pointer: bigint,
  size: number,
  options: DeviceOption & { readonly mapped?: boolean } = {}
): HostMemory {
  requireSize(size);
  if (typeof pointer !== 'bigint')
    throw new ArgumentError(`pointer is ${textOf(pointer)}, expected a bigint`);
  return currentManager(options.device).mempin(owner, pointer, size, options.mapped ?? false);
}

/**
 * Allocates `size` bytes of managed memory, if the memory manager supports it (rule 215: unsupported by default).
 * @throws MemoryManagerError if it does not, OutOfMemoryError
 */
export function memallocmanaged(
  size: number,
  options: DeviceOption & { readonly attachGlobal?: boolean } = {}
): MemoryPointer {
  requireSize(size);
  const { device, attachGlobal = true } = options;
  return observed(device, 'managed', size, manager => manager.memallocmanaged(size, attachGlobal)).own();
}

/**
 * Returns free and total bytes of a device, as its memory manager counts them (rule 187).
 * @throws MemoryManagerError if the manager does not report it
 */
export function getMemoryInfo(device?: DeviceLike): MemoryInfo {
  return currentManager(device).getMemoryInfo();
}

/**
 * Postpones frees until the result is disposed; calls nest (rule 196: nothing is freed inside). A plugin may define it differently for its
 * memory (rule 197).
 */
export function deferCleanup(device?: DeviceLike): Disposable {
  return callDeferCleanup(currentManager(device));
}
