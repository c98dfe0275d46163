/** Actions of the sidebar's rows on arrays, devices and streams. */

import type { NDArray } from '../../../../src/array/array.ts';
import type { ArraysSummary, FreeOutcome } from '../../../../src/pictures/arrays/schema.ts';
import type { Device } from '../../../../src/core/device.ts';
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

/** Delay in ms before a picture without views is closed: another page may still report a view. */
const CLOSE_DELAY = 1000;

/** Returns the live picture, which closes with its last view. */
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

/** Waits for all work of a stream without blocking cells; returns the microseconds. @throws Error if it cannot be waited for */
export async function synchronizeStream(stream: Stream): Promise<number> {
  if (stream.destroyed) throw new Error('The stream was destroyed: there is nothing to wait for.');
  if (stream.capturing)
    throw new Error('The stream is being captured into a graph: it cannot be synchronized.');
  const began = performance.now();
  await stream.synchronizeAsync();
  return (performance.now() - began) * 1000;
}

/** Waits for all work of a device. Cells run while the streams of its arrays work, and block while other work is left. */
export async function synchronizeDevice(device: Device, arrays: Iterable<NDArray>): Promise<number> {
  const began = performance.now();
  const streams = new Set<Stream>();
  for (const { stream } of arrays)
    if (stream.device === device && !stream.destroyed && !stream.capturing) streams.add(stream);
  await Promise.all([...streams].map(stream => stream.synchronizeAsync()));
  device.synchronize();
  return (performance.now() - began) * 1000;
}

/** Returns the number of arrays and their total bytes; shared memory is counted once. */
export function summaryOf(arrays: Iterable<NDArray>): ArraysSummary {
  const live = [...arrays].filter(array => !array.freed);
  const blocks = new Map([...new Blocks().of(live).values()].map(({ id, bytes }) => [id, bytes]));
  const bytes = [...blocks.values()].reduce((sum, size) => sum + size, 0);
  return { arrays: live.length, bytes };
}

/** Disposes arrays; the result names those of `known` that keep the memory alive. @throws Error if an array no longer exists */
export function freeArrays(
  chosen: Iterable<NDArray | undefined>,
  known: ReadonlyMap<NDArray, readonly string[]>
): FreeOutcome {
  const arrays = [...chosen].map(requireArray).filter(array => !array.freed);
  const storages = new Set(arrays.map(array => array.storage));
  const sizes = new Map([...storages].map(storage => [storage, extentOf(storage)]));
  for (const array of arrays) array.dispose();
  let bytes = 0;
  for (const [storage, { start, end }] of sizes) if (storage.freed) bytes += end - start;
  const remaining: string[] = [];
  for (const [array, [name]] of known)
    if (!array.freed && storages.has(array.storage) && name !== undefined) remaining.push(name);
  return { freed: arrays.length, bytes, remaining };
}
