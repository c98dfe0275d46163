/** Memory of which the last array was disposed of, until the device and the event loop let it go back to its manager. */

import type { Device } from '../core/device.ts';

const blocks = new Map<Device, Set<bigint>>();

/** The block at `pointer` waits to be released. */
export function noteWaiting(device: Device, pointer: bigint): void {
  const known = blocks.get(device) ?? new Set();
  known.add(pointer);
  blocks.set(device, known);
}

/** The block goes back to its manager now. */
export function noteReleased(device: Device, pointer: bigint): void {
  blocks.get(device)?.delete(pointer);
}

export function isWaiting(device: Device, pointer: bigint): boolean {
  return blocks.get(device)?.has(pointer) === true;
}
