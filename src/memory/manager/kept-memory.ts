/** Memory that managers cache, which other managers of the device may need (rules 209, 219). */

import type { Device } from '../../core/device.ts';
import type { BaseCUDAMemoryManager } from './base.ts';

/** All managers, by device. Weak, so that managers are collected with their class. */
const made = new Map<Device, Set<WeakRef<BaseCUDAMemoryManager>>>();

export function noteManager(manager: BaseCUDAMemoryManager): void {
  const known = made.get(manager.context) ?? new Set();
  known.add(new WeakRef(manager));
  made.set(manager.context, known);
}

/** Returns the managers of a device, upstream managers of adaptors included, in the order of their construction. */
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

export function managedDevices(): Device[] {
  return [...made.keys()];
}

/** Makes every manager of a device free what it caches. Warns of one that throws, and continues with the others. */
export function giveBackKeptMemory(device: Device): void {
  for (const manager of managersOf(device)) giveBack(manager);
}

function giveBack(manager: BaseCUDAMemoryManager): void {
  try {
    manager.giveBack?.();
  } catch (error) {
    const reason = error instanceof Error ? error.message : 'it threw';
    warnOfManager(`giveBack() of ${manager.constructor.name}: ${reason}`);
  }
}

export function warnOfManager(text: string): void {
  process.emitWarning(text, { type: 'MemoryManagerWarning', code: 'STRIDELAB_MEMORY_MANAGER' });
}
