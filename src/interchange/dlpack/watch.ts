/**
 * Follows capsules for those who look at an array: exported, consumed, deleted (rules 164 to 170). While nobody looks it costs an export
 * one check. Keeps neither capsules nor memory alive.
 */

import type { Storage } from '../../memory/storage.ts';
import type { DLPackCapsule } from './capsule.ts';

export type CapsuleState = 'exported' | 'consumed' | 'deleted';

export interface CapsuleReport {
  readonly id: number;
  /** As Python names it now. */
  readonly name: string;
  readonly state: CapsuleState;
  /** Milliseconds since 1970. */
  readonly at: number;
  /** True for a tensor over a copy, which does not hold the storage. */
  readonly copied: boolean;
}

interface Followed {
  readonly id: number;
  readonly capsule: WeakRef<DLPackCapsule>;
  readonly deleted: () => boolean;
  readonly versioned: boolean;
  consumed: boolean;
  reported: CapsuleState;
  readonly at: number;
  readonly copied: boolean;
}

/** The oldest are forgotten, those deleted first. */
const MOST_FOLLOWED = 32;

let watchers = 0;
let lastId = 0;
const watches = new WeakMap<Storage, Set<CapsuleWatch>>();

/** Capsules of one storage, from its construction on. It must be disposed. */
export class CapsuleWatch {
  #followed: Followed[] = [];
  readonly #storage: WeakRef<Storage>;
  readonly #exported: () => void;
  #disposed = false;

  /** `exported` is called after each export. */
  constructor(storage: Storage, exported: () => void) {
    this.#storage = new WeakRef(storage);
    this.#exported = exported;
    const known = watches.get(storage) ?? new Set();
    watches.set(storage, known.add(this));
    watchers += 1;
  }

  /** Oldest first. */
  report(): CapsuleReport[] {
    return this.#followed.map(followed => {
      const state = stateOf(followed);
      followed.reported = state;
      const { id, versioned, consumed, at, copied } = followed;
      const name = versioned ? 'dltensor_versioned' : 'dltensor';
      return { id, name: consumed ? `used_${name}` : name, state, at, copied };
    });
  }

  /** Whether a state is another than the last report said: consumers give no sign. */
  get changed(): boolean {
    return this.#followed.some(followed => stateOf(followed) !== followed.reported);
  }

  /** For the export. */
  follow(capsule: DLPackCapsule, deleted: () => boolean, copied: boolean): void {
    const versioned = capsule.version !== null;
    const state = { consumed: false, reported: 'exported' } as const;
    const ref = new WeakRef(capsule);
    this.#followed.push({ ...state, id: ++lastId, capsule: ref, deleted, versioned, at: Date.now(), copied });
    if (this.#followed.length > MOST_FOLLOWED) {
      const oldest = Math.max(
        this.#followed.findIndex(followed => followed.deleted()),
        0
      );
      this.#followed.splice(oldest, 1);
    }
    this.#exported();
  }

  [Symbol.dispose](): void {
    if (this.#disposed) return;
    this.#disposed = true;
    watchers -= 1;
    const storage = this.#storage.deref();
    if (storage !== undefined) watches.get(storage)?.delete(this);
  }
}

function stateOf(followed: Followed): CapsuleState {
  const capsule = followed.capsule.deref();
  const deleted = followed.deleted();
  // Only a consumer can hold the tensor of a capsule that was collected.
  if (capsule === undefined ? !deleted : capsule.consumed) followed.consumed = true;
  return deleted ? 'deleted' : followed.consumed ? 'consumed' : 'exported';
}

/** Whether exports of a storage are to be followed. */
export function isWatched(storage: Storage): boolean {
  return watchers > 0 && (watches.get(storage)?.size ?? 0) > 0;
}

/** Told by the export; `deleted` says whether the tensor's deleter ran. */
export function noteExport(
  storage: Storage,
  capsule: DLPackCapsule,
  deleted: () => boolean,
  copied: boolean
): void {
  for (const watch of watches.get(storage) ?? []) watch.follow(capsule, deleted, copied);
}
