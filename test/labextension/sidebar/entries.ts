/** Arrays in the form in which a kernel reports them. */

import { ARRAYS_VERSION, type ArrayEntry, type ArraysChange } from '../../../src/pictures/arrays/schema.ts';

let lastId = 0;

export function entry(name: string, more: Partial<ArrayEntry> = {}): ArrayEntry {
  lastId += 1;
  return {
    id: lastId,
    names: [name],
    dtype: 'float32',
    shape: [4],
    device: 'sim:0',
    stream: 1,
    state: 'idle',
    bytes: 16,
    block: lastId,
    blockBytes: 16,
    memory: 'device',
    readOnly: false,
    origin: null,
    ...more
  };
}

export function change(set: readonly ArrayEntry[], more: Partial<ArraysChange> = {}): ArraysChange {
  return {
    version: ARRAYS_VERSION,
    first: false,
    set,
    removed: [],
    devices: null,
    streams: null,
    complete: true,
    truncated: false,
    ...more
  };
}
