/** Blocks without arrays whose release is pending: the device still uses them, or the event loop has not run the release. */

import type { Device } from '../../core/device.ts';

const blocks = new Map<bigint, Device>();

/** Notes that the release of the block at `pointer` is pending. */
export function noteWaiting(device: Device, pointer: bigint): void {
  blocks.set(pointer, device);
}

/** Notes that the block was returned to its manager. */
export function noteReleased(pointer: bigint): void {
  if (blocks.size > 0) blocks.delete(pointer);
}

export function isWaiting(device: Device, pointer: bigint): boolean {
  return blocks.get(pointer) === device;
}
