/** Describes one array for the sidebar: its variable and its constant properties. */

import type { NDArray } from '../../../../src/array/array.ts';
import type { ArrayState, StreamEntry } from '../../../../src/pictures/arrays/schema.ts';
import { originOf } from '../../../../src/pictures/array/origin.ts';
import { isPending } from '../../../../src/pictures/kit/streams.ts';
import type { Storage } from '../../../../src/memory/storage.ts';
import type { Stream } from '../../../../src/core/stream.ts';

/** States of streams, queried once per scan: thousands of arrays share a few. */
export class StreamStates {
  readonly #known = new Map<Stream, StreamEntry>();

  of(stream: Stream): StreamEntry {
    let entry = this.#known.get(stream);
    if (entry === undefined) {
      const { id } = stream;
      entry = { id, label: stream.toString(), device: stream.device.label, state: stateOf(stream) };
      this.#known.set(stream, entry);
    }
    return entry;
  }

  all(): StreamEntry[] {
    return [...this.#known.values()];
  }
}

function stateOf(stream: Stream): StreamEntry['state'] {
  if (stream.destroyed) return 'destroyed';
  return isPending(stream) ? 'busy' : 'idle';
}

/** Returns the state of an array: whether its stream has pending work on this memory. */
export function stateOfArray(array: NDArray, streams: StreamStates): ArrayState {
  streams.of(array.stream);
  if (array.freed) return 'freed';
  let busy = false;
  for (const { stream, complete } of array.storage.recentUses())
    if (streams.of(stream).state === 'busy' && !complete) busy = true;
  return busy ? 'busy' : 'idle';
}

/** Address range of the memory, which other arrays may overlap; numbers are exact for all addresses in use. */
export interface Extent {
  readonly start: number;
  readonly end: number;
}

export function extentOf(storage: Storage): Extent {
  const start = Number(storage.pointer);
  return { start, end: start + storage.bytes };
}

/** Returns the properties of an array that never change. */
export function fixedOf(array: NDArray) {
  const { freed } = array;
  return {
    dtype: array.dtype.name,
    shape: array.shape,
    device: array.device.label,
    stream: array.stream.id,
    bytes: array.nbytes,
    memory: freed ? 'device' : array.storage.kind,
    readOnly: array.readOnly,
    origin: freed ? null : originOf(array.storage)
  };
}
