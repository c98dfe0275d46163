/** Blocks without arrays whose release is pending: the device still uses them, or the event loop has not run the release. */

import type { Device } from '../core/device.ts';

const blocks = new Map<Device, Set<bigint>>();

/** Notes that the release of the block at `pointer` is pending. */
export function noteWaiting(device: Device, pointer: bigint): void {
  const known = blocks.get(device) ?? new Set();
  known.add(pointer);
  blocks.set(device, known);
}

/** Notes that the block returns to its manager. */
export function noteReleased(device: Device, pointer: bigint): void {
  blocks.get(device)?.delete(pointer);
}

export function isWaiting(device: Device, pointer: bigint): boolean {
  return blocks.get(device)?.has(pointer) === true;
}
