/** What the rows of the sidebar do to arrays, devices and streams. */

import type { NDArray } from '../../../../src/array/array.ts';
import type { ArraysSummary, FreeOutcome } from '../../../../src/pictures/arrays/schema.ts';
import type { Device } from '../../../../src/core/device.ts';
import type { Storage } from '../../../../src/memory/storage.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../../../src/notebook/host.ts';
import type { Stream } from '../../../../src/core/stream.ts';
import { widgetFor } from '../open.ts';
import { boundUnwatched } from '../kit/unwatched.ts';
import { Blocks } from './blocks.ts';
import { extentOf } from './entry.ts';

export function requireArray(array: NDArray | undefined): NDArray {
  if (array === undefined) throw new Error('No variable holds this array any more.');
  return array;
}

/** Milliseconds after which a picture without views is closed: another page may say that it has one. */
const CLOSE_DELAY = 1000;

/** Shows the live picture, which closes with the last view of it. */
export function pictureOf(subject: NDArray | Device | Stream): MimeBundle {
  const picture = widgetFor(subject);
  boundUnwatched(picture);
  picture.observe('_view_count', ({ new: views }) => {
    if (views !== 0) return;
    setTimeout(() => {
      if (picture.get('_view_count') === 0) picture.close();
    }, CLOSE_DELAY).unref();
  });
  return picture[DISPLAY_METHOD]();
}

/** Waits until a stream has done all, while cells go on; how long that took, in microseconds. @throws Error for a stream that cannot be waited for */
export async function synchronizeStream(stream: Stream): Promise<number> {
  if (stream.destroyed) throw new Error('The stream was destroyed: there is nothing to wait for.');
  if (stream.capturing)
    throw new Error('The stream is being captured into a graph: it cannot be synchronized.');
  const began = performance.now();
  await stream.synchronizeAsync();
  return (performance.now() - began) * 1000;
}

/** Waits for all work of a device. Cells go on while the streams of its arrays work, and block while other work is left. */
export async function synchronizeDevice(device: Device, arrays: Iterable<NDArray>): Promise<number> {
  const began = performance.now();
  const streams = new Set<Stream>();
  for (const { stream } of arrays)
    if (stream.device === device && !stream.destroyed && !stream.capturing) streams.add(stream);
  await Promise.all([...streams].map(stream => stream.synchronizeAsync()));
  device.synchronize();
  return (performance.now() - began) * 1000;
}

function storagesOf(arrays: Iterable<NDArray>): Set<Storage> {
  const storages = new Set<Storage>();
  for (const array of arrays) if (!array.freed) storages.add(array.storage);
  return storages;
}

/** What they hold together, memory that several see counted once. */
export function summaryOf(arrays: Iterable<NDArray>): ArraysSummary {
  const live = [...arrays].filter(array => !array.freed);
  const blocks = new Map([...new Blocks().of(storagesOf(live)).values()].map(({ id, bytes }) => [id, bytes]));
  const bytes = [...blocks.values()].reduce((sum, size) => sum + size, 0);
  return { arrays: live.length, bytes };
}

/**
 * Disposes arrays; `known` are all that variables reach, by name, of which those are named whose memory was to go and that keep it.
 * @throws Error where one of them is not there any more
 */
export function freeArrays(
  chosen: Iterable<NDArray | undefined>,
  known: ReadonlyMap<NDArray, readonly string[]>
): FreeOutcome {
  const arrays = [...chosen].map(requireArray).filter(array => !array.freed);
  const storages = storagesOf(arrays);
  const sizes = new Map([...storages].map(storage => [storage, extentOf(storage)]));
  for (const array of arrays) array.dispose();
  let bytes = 0;
  for (const [storage, { start, end }] of sizes) if (storage.freed) bytes += end - start;
  const remaining: string[] = [];
  for (const [array, [name]] of known)
    if (!array.freed && storages.has(array.storage) && name !== undefined) remaining.push(name);
  return { freed: arrays.length, bytes, remaining };
}
