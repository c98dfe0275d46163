/** DLPack: device types and what this library's memory is in its terms. Source: dlpack.h 1.3, DLDeviceType (rule 132). */

import type { Storage } from '../memory/storage.ts';

export const DLDeviceType = Object.freeze({
  kDLCPU: 1,
  kDLCUDA: 2,
  kDLCUDAHost: 3,
  kDLCUDAManaged: 13
});

export type DLDeviceTypeName = keyof typeof DLDeviceType;

/** `__dlpack_device__()`: device type and id. */
export type DLDevice = readonly [type: number, id: number];

/**
 * The DLPack device of a block. Pinned and managed memory have id 0 (rule 134). Memory of the simulated device is host
 * memory, so it says kDLCPU: a consumer that believed kDLCUDA would hand its address to a real GPU.
 */
export function dlpackDevice(storage: Storage): DLDevice {
  if (storage.device.simulated) return [DLDeviceType.kDLCPU, 0];
  if (storage.kind === 'pinned') return [DLDeviceType.kDLCUDAHost, 0];
  if (storage.kind === 'managed') return [DLDeviceType.kDLCUDAManaged, 0];
  return [DLDeviceType.kDLCUDA, storage.device.ordinal];
}

/** Name of a device type in dlpack.h. */
export function dlpackTypeName(type: number): string {
  return Object.entries(DLDeviceType).find(([, value]) => value === type)?.[0] ?? `DLDeviceType ${type}`;
}
