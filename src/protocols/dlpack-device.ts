/** DLPack device types, and those of this library's memory. Source: dlpack.h 1.3, DLDeviceType (rule 132). */

import type { Storage } from '../memory/storage.ts';

/** The device types of dlpack.h by name. */
export const DLDeviceType = Object.freeze({
  kDLCPU: 1,
  kDLCUDA: 2,
  kDLCUDAHost: 3,
  kDLOpenCL: 4,
  kDLVulkan: 7,
  kDLMetal: 8,
  kDLVPI: 9,
  kDLROCM: 10,
  kDLROCMHost: 11,
  kDLExtDev: 12,
  kDLCUDAManaged: 13,
  kDLOneAPI: 14,
  kDLWebGPU: 15,
  kDLHexagon: 16,
  kDLMAIA: 17,
  kDLTrn: 18
});

/** The value of `__dlpack_device__()`: device type and device id. */
export type DLDevice = readonly [type: number, id: number];

/** The `dlDevice` of an export to the host. */
export const HOST: DLDevice = Object.freeze([DLDeviceType.kDLCPU, 0] as const);
const PINNED: DLDevice = Object.freeze([DLDeviceType.kDLCUDAHost, 0] as const);
const MANAGED: DLDevice = Object.freeze([DLDeviceType.kDLCUDAManaged, 0] as const);

/**
 * Returns the DLPack device of a block. Pinned and managed memory have id 0 (rule 134). Memory of the simulated device is host
 * memory, so its type is kDLCPU: with kDLCUDA, a consumer would pass its address to a real GPU.
 * The recording device, which only tests use, stands for a GPU.
 */
export function dlpackDevice(storage: Storage): DLDevice {
  if (storage.device.kind === 'simulated') return HOST;
  if (storage.kind === 'pinned') return PINNED;
  if (storage.kind === 'managed') return MANAGED;
  return [DLDeviceType.kDLCUDA, storage.device.ordinal];
}

/** Returns the name of a device type in dlpack.h; for an unknown type, its number. */
export function dlpackTypeName(type: number): string {
  return Object.entries(DLDeviceType).find(([, value]) => value === type)?.[0] ?? `DLDeviceType ${type}`;
}

export function sameDevice(one: DLDevice, other: DLDevice): boolean {
  return one[0] === other[0] && one[1] === other[1];
}

/** Returns true for memory that consumers read on the host, so that it must be ready when it is exported (rule 153). */
export function isHost(type: number): boolean {
  return (
    type === DLDeviceType.kDLCPU || type === DLDeviceType.kDLCUDAHost || type === DLDeviceType.kDLROCMHost
  );
}

/** Formats a device for messages: `kDLCUDA 1`. */
export function formatDlpackDevice([type, id]: DLDevice): string {
  return `${dlpackTypeName(type)} ${id}`;
}

/** Returns true for a pair of integers. */
export function isDlpackDevice(value: unknown): value is DLDevice {
  return Array.isArray(value) && value.length === 2 && value.every(Number.isInteger);
}
