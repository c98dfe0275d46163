/** Maps DLPack devices to the devices and kinds of memory of this process. */

import { devices, type Device } from '../../core/device.ts';
import { BufferError } from '../../base/errors.ts';
import { locate } from '../../memory/locate.ts';
import type { MemoryKind } from '../../memory/storage.ts';
import { DLDeviceType, formatDlpackDevice, type DLDevice } from '../../protocols/dlpack-device.ts';

/** Returns the kind of memory of a device type; null for memory that this library does not support (rule 133). */
export function memoryKind(type: number): MemoryKind | null {
  switch (type) {
    case DLDeviceType.kDLCPU:
    case DLDeviceType.kDLCUDA:
      return 'device';
    case DLDeviceType.kDLCUDAHost:
      return 'pinned';
    case DLDeviceType.kDLCUDAManaged:
      return 'managed';
    default:
      return null;
  }
}

/** Returns the device of a target; for the host, the simulated device, whose memory is host memory. @throws BufferError */
export function deviceFor(target: DLDevice): Device {
  const [type, id] = target;
  const known = devices();
  const found =
    type === DLDeviceType.kDLCPU && id === 0
      ? known.find(device => device.simulated)
      : type === DLDeviceType.kDLCUDA
        ? known.find(device => !device.simulated && device.ordinal === id)
        : (type === DLDeviceType.kDLCUDAHost || type === DLDeviceType.kDLCUDAManaged) && id === 0
          ? known.find(device => !device.simulated)
          : undefined;
  if (found !== undefined) return found;
  throw new BufferError(
    `cannot export to ${formatDlpackDevice(target)}: this process has ${known.map(device => device.label).join(', ')} (rule 147: dlDevice)`
  );
}

/**
 * Returns the GPU of an imported tensor, or undefined. Producers may number devices differently, so the driver's ordinal for the
 * address takes precedence over the tensor's `id` (rules 134, 135). `gpus` must not be empty.
 */
export function gpuOf<Gpu extends { readonly ordinal: number }>(
  gpus: readonly Gpu[],
  id: number,
  actual: number | null
): Gpu | undefined {
  return gpus.length === 1 ? gpus[0] : gpus.find(gpu => gpu.ordinal === (actual ?? id));
}

/** The devices of this process, which do not change, with the simulated one, whose memory is host memory. */
let places: { readonly host: Device; readonly gpus: readonly Device[] } | undefined;

/** Returns the device of an address according to the driver, because producers may number devices differently (rules 134, 135). */
export function deviceOfTensor(device: DLDevice, address: bigint): Device {
  places ??= {
    host: devices().find(candidate => candidate.simulated) as Device,
    gpus: devices().filter(candidate => !candidate.simulated)
  };
  if (device[0] === DLDeviceType.kDLCPU) return places.host;
  const { gpus } = places;
  const [first] = gpus;
  if (first === undefined)
    throw new BufferError(
      `DLPack tensor on ${formatDlpackDevice(device)}, but this process has no CUDA device`
    );
  const asked = gpus.length > 1 && address !== 0n;
  const actual = asked ? (locate(address)?.ordinal ?? null) : null;
  const found = gpuOf(gpus, device[1], actual);
  if (found !== undefined) return found;
  throw new BufferError(
    `DLPack tensor on ${formatDlpackDevice(device)}, but this process has ${gpus.length} CUDA devices`
  );
}
