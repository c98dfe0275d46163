/** Which stream a look at an array runs on, and which it would wait for. */

import type { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import { DeviceLostError } from '../../base/errors.ts';
import { streamForExport } from '../../interchange/cai/export.ts';
import { look } from '../../core/look.ts';
import { native } from '../../native/load.ts';
import type { Storage } from '../../memory/storage.ts';
import type { Stream } from '../../core/stream.ts';

/** The stream that last used the array, where a look has to wait for no other; else the array's own. */
export function streamToLook(array: NDArray): Stream {
  return exportedStream(array.storage, false) ?? array.stream;
}

/** The stream that an export would name, as far as a look may tell; null for none. Neither asks of held work nor throws. */
export function exportedStream(storage: Storage, readOnly: boolean): Stream | null {
  if (isHeld(storage)) return streamForExport(storage, readOnly, storage.recentUses());
  try {
    return streamForExport(storage, readOnly);
  } catch (error) {
    if (!(error instanceof DeviceLostError)) throw error;
    return streamForExport(storage, readOnly, storage.recentUses());
  }
}

/**
 * Whether a stream has work that is not known to be done, as far as a look may tell. Never waits and never throws: a stream of a lost
 * device never says that it is done. Under the hazard schedule the driver is not asked, since a question may be what lets held work run.
 */
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

/** Asks the stream that a look would use, where asking changes nothing and it can be asked. @throws DeviceLostError */
export function requireDevice(array: NDArray): void {
  if (array.freed || isHeld(array)) return;
  const stream = streamToLook(array);
  if (!stream.destroyed) stream.query();
}

/** Whether the device holds work until something orders it: then a question to its driver may be what does. */
export function isHeld({ device }: { readonly device: Device }): boolean {
  return device.simulated && native().simulated.schedule() === 'hazard';
}

/** Streams with work that a look at the values would wait for. Never waits. */
export function pendingStreams(array: NDArray): Stream[] {
  return look(() => findPending(array));
}

function findPending(array: NDArray): Stream[] {
  const looked = array.mask === null ? [array] : [array, array.mask];
  const used = looked.flatMap(each => each.storage.recentUses().map(({ stream }) => stream));
  const streams = new Set([...used, ...looked.map(streamToLook)]);
  return [...streams].filter(stream => !stream.destroyed && (stream.capturing || isPending(stream)));
}
