/** Memory that managers keep for later, for the day on which another manager of the device needs it (rules 209, 219). */

import type { Device } from '../../core/device.ts';
import type { BaseCUDAMemoryManager } from './base.ts';

/** Every manager that was made, by device. Weak: a class that is gone takes its managers with it. */
const made = new Map<Device, Set<WeakRef<BaseCUDAMemoryManager>>>();

export function noteManager(manager: BaseCUDAMemoryManager): void {
  const known = made.get(manager.context) ?? new Set();
  known.add(new WeakRef(manager));
  made.set(manager.context, known);
}

/** Every manager of a device, those of adaptors' upstreams too, in the order in which they were made. */
export function managersOf(device: Device): BaseCUDAMemoryManager[] {
  const known = made.get(device) ?? new Set();
  const found: BaseCUDAMemoryManager[] = [];
  for (const reference of known) {
    const manager = reference.deref();
    if (manager === undefined) known.delete(reference);
    else found.push(manager);
  }
  return found;
}

/** Devices that a manager was made for. */
export function managedDevices(): Device[] {
  return [...made.keys()];
}

/** Has every manager of a device give back what it keeps. One that throws is warned of: the others come all the same. */
export function giveBackKeptMemory(device: Device): void {
  for (const manager of managersOf(device)) giveBack(manager);
}

function giveBack(manager: BaseCUDAMemoryManager): void {
  try {
    manager.giveBack?.();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it threw';
    process.emitWarning(`giveBack() of ${manager.constructor.name}: ${reason}`, {
      type: 'MemoryManagerWarning',
      code: 'STRIDELAB_MEMORY_MANAGER'
    });
  }
}
