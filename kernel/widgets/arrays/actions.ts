/** What the rows of the sidebar do to arrays. */

import type { NDArray } from '../../../src/array.ts';
import type { ArraysSummary, FreeOutcome } from '../../../src/description/arrays-schema.ts';
import type { Storage } from '../../../src/memory/storage.ts';
import { DISPLAY_METHOD, type MimeBundle } from '../../../src/notebook/host.ts';
import { ArrayInspector } from '../live/array-inspector.ts';
import { Blocks } from './blocks.ts';
import { extentOf } from './entry.ts';

function requireArray(array: NDArray | undefined): NDArray {
  if (array === undefined) throw new Error('No variable holds this array any more: the list will follow.');
  return array;
}

/** Shows the live inspector, which closes with the last view of it. @throws Error */
export function inspectorOf(array: NDArray | undefined): MimeBundle {
  const inspector = new ArrayInspector(requireArray(array));
  inspector.observe('_view_count', ({ new: views, old }) => {
    if (views === 0 && old !== 0) inspector.close();
  });
  return inspector[DISPLAY_METHOD]();
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
  for (const [storage, { start, end }] of sizes) if (storage.released) bytes += end - start;
  const remaining: string[] = [];
  for (const [array, [name]] of known)
    if (!array.freed && storages.has(array.storage) && name !== undefined) remaining.push(name);
  return { freed: arrays.length, bytes, remaining };
}
