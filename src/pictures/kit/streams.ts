/** The stream on which a picture reads an array, and the streams that the read would wait for. */

import type { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import { DeviceLostError } from '../../base/errors.ts';
import { streamForExport } from '../../interchange/cai/export.ts';
import { look } from '../../core/look.ts';
import { native } from '../../native/load.ts';
import type { Storage } from '../../memory/storage.ts';
import type { Stream } from '../../core/stream.ts';

/** Returns the stream that last used the array, on which a read waits for no other stream; if there is none, the array's stream. */
export const streamToLook = (array: NDArray): Stream => exportedStream(array.storage, false) ?? array.stream;

/** Returns the stream that an export would name; null for none. Does not query held work and does not throw. */
export function exportedStream(storage: Storage, readOnly: boolean): Stream | null {
  if (isHeld(storage)) return streamForExport(storage, readOnly, storage.recentUses());
  try {
    return streamForExport(storage, readOnly);
  } catch (error) {
    if (!(error instanceof DeviceLostError)) throw error;
    return streamForExport(storage, readOnly, storage.recentUses());
  }
}

/** Returns true if a stream may have pending work. Never waits or throws, and lets no held work run: a lost device never completes. */
export function isPending(stream: Stream): boolean {
  const { native: half } = stream;
  if (stream.destroyed) return false;
  if (isHeld(stream)) return half.completed < half.sequence;
  try {
    return !look(() => stream.query());
  } catch {
    return true;
  }
}

/** Queries the stream on which the array would be read, unless it is destroyed or the query could let held work run. @throws DeviceLostError */
export function requireDevice(array: NDArray): void {
  if (array.freed || isHeld(array)) return;
  const stream = streamToLook(array);
  if (!stream.destroyed) stream.query();
}

/** Returns true if the device holds work until something orders it: a query of its driver could then let it run. */
export function isHeld({ device }: { readonly device: Device }): boolean {
  return device.simulated && native().simulated.schedule() === 'hazard';
}

/** Returns the streams whose work a read of the values would wait for. Never waits. */
export function pendingStreams(array: NDArray): Stream[] {
  return look(() => {
    const looked = array.mask === null ? [array] : [array, array.mask];
    const used = looked.flatMap(each => each.storage.recentUses().map(({ stream }) => stream));
    const streams = new Set([...used, ...looked.map(streamToLook)]);
    return [...streams].filter(stream => !stream.destroyed && (stream.capturing || isPending(stream)));
  });
}
