/** Describes a device as plain JSON, for the live card and for the static picture. */

import { defaultDevice, devices, type Device } from '../../core/device.ts';
import { holdingsOn, nameOf } from '../../recording/memory/holdings.ts';
import { managerInForce } from '../../memory/registry.ts';
import { MemoryManagerAdaptor } from '../../memory/managers/adaptor.ts';
import { native } from '../../native/load.ts';
import { factsOf } from './attributes.ts';
import { librariesFor } from './libraries.ts';
import { DEVICE_PICTURE_VERSION, type DevicePicture, type PeerPicture, type Reach } from './schema.ts';

const MEANINGS = {
  eager: 'Work runs as soon as it is submitted, so races stay hidden.',
  hazard: 'Work is held until something orders it, so a missing wait gives wrong values.'
} as const;

/** Matches the driver's name of a MIG slice, `NVIDIA H100 80GB HBM3 MIG 1g.10gb`, which has the profile; so NVML is not opened. */
const SLICE = /\bMIG\s+(.+)$/;

/** Describes a device. Never throws for a device that does not answer: `problem` reports it. */
export function describeDevice(device: Device): DevicePicture {
  const schedule = native().simulated.schedule();
  const slice = SLICE.exec(device.name)?.[1] ?? null;
  return {
    version: DEVICE_PICTURE_VERSION,
    label: device.label,
    name: device.name,
    // As nvidia-smi and CUDA_VISIBLE_DEVICES write it.
    uuid: slice === null ? device.uuid : device.uuid.replace('GPU-', 'MIG-'),
    isDefault: device === defaultDevice(),
    slice,
    simulated: device.simulated ? { schedule, meaning: MEANINGS[schedule] } : null,
    ...memoryOf(device),
    manager: managersOf(device),
    facts: factsOf(device),
    libraries: librariesFor(device),
    peers: devices()
      .filter(other => other !== device)
      .map(other => peer(device, other))
  };
}

function memoryOf(device: Device): Pick<DevicePicture, 'memory' | 'problem'> {
  try {
    const { free, total } = device.memoryInfo();
    const { waiting, reusable } = holdingsOn(device);
    return { memory: { free, total, ours: device.native.liveBytes - reusable, waiting }, problem: null };
  } catch (error) {
    return { memory: null, problem: (error as Error).message };
  }
}

/** Returns the managers' names, outermost first. */
function managersOf(device: Device): string[] {
  try {
    const names: string[] = [];
    let manager = managerInForce(device);
    while (manager instanceof MemoryManagerAdaptor) {
      names.push(nameOf(manager.constructor));
      manager = manager.upstream;
    }
    return [...names, nameOf(typeof manager === 'function' ? manager : manager.constructor)];
  } catch (error) {
    return [(error as Error).message];
  }
}

function peer(device: Device, other: Device): PeerPicture {
  const { label, name } = other;
  return { label, name, reach: reach(device, other), reached: reach(other, device) };
}

function reach(from: Device, to: Device): Reach {
  if (from.kind !== to.kind) return 'never';
  try {
    return from.canAccessPeer(to) ? 'direct' : 'copies';
  } catch {
    return 'never'; // a lost device reaches no other
  }
}
