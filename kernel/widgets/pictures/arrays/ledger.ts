/** The state of each array as last sent to the page, so that only changes are sent. Holds the arrays weakly. */

import type { NDArray } from '../../../../src/array/array.ts';
import type { ArrayEntry, ArrayState } from '../../../../src/pictures/arrays/schema.ts';
import type { Stream } from '../../../../src/core/stream.ts';
import type { Block } from './blocks.ts';
import { fixedOf, stateOfArray, type StreamStates } from './entry.ts';

/** Maximum number of names sent for an array, which has one for each path to it. */
const MAX_NAMES = 4;

interface Line {
  readonly array: WeakRef<NDArray>;
  entry: ArrayEntry;
  /** Stops watching its memory. */
  unsubscribe: (() => void) | null;
}

export class Ledger {
  readonly #ids = new WeakMap<NDArray, number>();
  readonly #lines = new Map<number, Line>();
  /** Ids of arrays with pending work at the last scan. */
  readonly busy = new Set<number>();
  readonly #onUse: (id: number) => void;
  #lastId = 0;

  /** Constructs the ledger. `onUse` is called after each use of an array's memory and when it is freed. */
  constructor(onUse: (id: number) => void) {
    this.#onUse = onUse;
  }

  get size(): number {
    return this.#lines.size;
  }

  entries(): ArrayEntry[] {
    return [...this.#lines.values()].map(({ entry }) => entry);
  }

  /** Returns an array; undefined if it was collected or no variable reaches it. */
  array(id: number): NDArray | undefined {
    return this.#lines.get(id)?.array.deref();
  }

  /** Returns the stream with that id, if an array of the list uses it. */
  stream(id: number): Stream | undefined {
    for (const { array } of this.#lines.values()) {
      const stream = array.deref()?.stream;
      if (stream?.id === id) return stream;
    }
    return undefined;
  }

  /** Records the state of an array; returns its entry if that changed. */
  note(array: NDArray, names: readonly string[], block: Block, streams: StreamStates): ArrayEntry | null {
    let id = this.#ids.get(array);
    if (id === undefined) this.#ids.set(array, (id = ++this.#lastId));
    const known = this.#lines.get(id);
    const shown = shownNames(names);
    const state = stateOfArray(array, streams);
    if (known !== undefined && isSame(known.entry, shown, state, block)) return null;
    const fixed = known?.entry ?? fixedOf(array);
    const entry = { ...fixed, id, names: shown, state, block: block.id, blockBytes: block.bytes };
    this.#put(array, entry);
    return entry;
  }

  /** Updates the state of one array; returns its entry if that changed. */
  refresh(id: number, streams: StreamStates): ArrayEntry | null {
    const line = this.#lines.get(id);
    const array = line?.array.deref();
    if (line === undefined || array === undefined) return null;
    const state = stateOfArray(array, streams);
    if (state === line.entry.state) return null;
    const entry = { ...line.entry, state };
    this.#put(array, entry);
    return entry;
  }

  /** Forgets all other arrays and returns their ids. */
  keepOnly(ids: ReadonlySet<number>): number[] {
    const removed = [...this.#lines.keys()].filter(id => !ids.has(id));
    for (const id of removed) this.#drop(id);
    return removed;
  }

  clear(): void {
    for (const id of [...this.#lines.keys()]) this.#drop(id);
  }

  idOf(array: NDArray): number | undefined {
    return this.#ids.get(array);
  }

  #put(array: NDArray, entry: ArrayEntry): void {
    const { id } = entry;
    const known = this.#lines.get(id);
    if (known === undefined) {
      const unsubscribe = entry.state === 'freed' ? null : array.onUse(() => this.#onUse(id));
      this.#lines.set(id, { array: new WeakRef(array), entry, unsubscribe });
    } else known.entry = entry;
    if (entry.state === 'busy') this.busy.add(id);
    else this.busy.delete(id);
  }

  #drop(id: number): void {
    this.#lines.get(id)?.unsubscribe?.();
    this.#lines.delete(id);
    this.busy.delete(id);
  }
}

/** Returns the shortest names, shortest first. */
function shownNames(names: readonly string[]): readonly string[] {
  return names.length === 1 ? names : names.toSorted((a, b) => a.length - b.length).slice(0, MAX_NAMES);
}

function isSame(told: ArrayEntry, names: readonly string[], state: ArrayState, block: Block): boolean {
  return (
    told.state === state &&
    told.block === block.id &&
    told.blockBytes === block.bytes &&
    told.names.length === names.length &&
    told.names.every((name, index) => name === names[index])
  );
}
