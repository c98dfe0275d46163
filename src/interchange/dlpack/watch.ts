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
  /** Of the capsule, when it was last there. */
  name: string;
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
      const { id, at, copied, capsule, deleted } = followed;
      followed.name = capsule.deref()?.name ?? followed.name;
      const gone = deleted();
      // Only a consumer can hold the tensor of a capsule that was collected.
      const consumed = followed.name.startsWith('used_') || (!gone && capsule.deref() === undefined);
      if (consumed && !followed.name.startsWith('used_')) followed.name = `used_${followed.name}`;
      return {
        id,
        name: followed.name,
        state: gone ? 'deleted' : consumed ? 'consumed' : 'exported',
        at,
        copied
      };
    });
  }

  /** Whether a tensor is out, whose state may change without a sign. */
  get pending(): boolean {
    return this.#followed.some(({ deleted }) => !deleted());
  }

  /** For the export. */
  follow(capsule: DLPackCapsule, deleted: () => boolean, copied: boolean): void {
    const { name } = capsule;
    this.#followed.push({
      id: ++lastId,
      capsule: new WeakRef(capsule),
      deleted,
      name,
      at: Date.now(),
      copied
    });
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
