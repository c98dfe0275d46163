/** The capsule: an object that owns one DLPack tensor until its one consumer takes it (rules 164 to 167). */

import type { Region } from '../memory/region.ts';
import { native } from '../native/load.ts';
import type { DLPackVersion } from './dlpack.ts';

/** The view behind an export: importing the capsule in this environment returns a view of its storage. */
export interface ExportedView extends Region {
  readonly readOnly: boolean;
}

const TAKEN = 1;
const STATE_BITS = 3;
const VERSIONED = 4;

/**
 * The result of `__dlpack__`: a DLPack tensor that can be consumed once, also by the native code of other addons
 * (`native/include/stridelab.h`). Disposing or collecting a capsule that was not consumed deletes its tensor.
 */
export class DLPackCapsule {
  /** The version of the struct inside; null for the unversioned struct. */
  readonly version: DLPackVersion | null;
  readonly #view: ExportedView | null;

  /** For the library's own use: native code fills the capsule. */
  constructor(version: DLPackVersion | null, view: ExportedView | null) {
    this.version = version;
    this.#view = view;
  }

  /** Returns the view behind a capsule made by this copy of the library; null for any other capsule. */
  static viewOf(capsule: unknown): ExportedView | null {
    return typeof capsule === 'object' && capsule !== null && #view in capsule ? capsule.#view : null;
  }

  /** True once a consumer took the tensor (rule 165: a capsule is consumed once). */
  get consumed(): boolean {
    return isConsumed(this);
  }

  /**
   * The name that Python gives such capsules: `dltensor` or `dltensor_versioned`, with the prefix `used_` once consumed (rule 164:
   * renaming).
   */
  get name(): string {
    const name = this.version === null ? 'dltensor' : 'dltensor_versioned';
    return this.consumed ? `used_${name}` : name;
  }

  /** Deletes the tensor unless it was consumed. A second call does nothing. */
  dispose(): void {
    native().dlpack.releaseCapsule(this);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `DLPackCapsule '${this.name}'`;
  }
}

/** Returns true for a DLPack capsule of any addon or copy of this library, consumed or not. */
export function isCapsule(value: unknown): value is object {
  return native().dlpack.capsuleState(value) >= 0;
}

/** Returns true for a capsule whose tensor was taken. */
export function isConsumed(capsule: unknown): boolean {
  const state = native().dlpack.capsuleState(capsule);
  return state >= 0 && (state & STATE_BITS) === TAKEN;
}

/** Returns true for a capsule with the versioned struct. */
export function isVersioned(capsule: unknown): boolean {
  return native().dlpack.capsuleState(capsule) >= VERSIONED;
}
