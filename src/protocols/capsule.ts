/** The capsule: an object that owns one DLPack tensor until its one consumer takes it (rules 164 to 167). */

import type { Region } from '../memory/region.ts';
import type { Storage } from '../memory/storage.ts';
import type { NativeCapsule } from '../native/binding.ts';
import type { NativeKey } from '../native/keyed-binding.ts';
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
  readonly #view: ExportedView;
  readonly #key: NativeKey<object>;
  #attached = false;

  /** For the library's own use: exports what `NativeDlpack.fields` describes, over `storage`, which may be a copy of `source`. */
  constructor(version: DLPackVersion | null, view: ExportedView, source: Storage) {
    const { storage } = view;
    this.version = version;
    this.#view = view;
    const { dlpack } = native();
    this.#key =
      source === storage
        ? dlpack.exportTensor(this, storage.key)
        : dlpack.exportTensor(this, storage.key, source.key);
  }

  /** Returns the view behind a capsule made by this copy of the library; null for any other capsule. */
  static viewOf(capsule: object): ExportedView | null {
    return #view in capsule ? capsule.#view : null;
  }

  /** Returns what native code takes for a capsule: the key of one that this copy of the library made, otherwise the object. */
  static nativeOf(capsule: object): NativeCapsule {
    return #key in capsule ? capsule.#key : capsule;
  }

  /** True once a consumer took the tensor (rule 165: a capsule is consumed once). */
  get consumed(): boolean {
    return (native().dlpack.capsuleState(this.#key) & STATE_BITS) === TAKEN;
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
    native().dlpack.releaseCapsule(this.#key);
  }

  [Symbol.dispose](): void {
    this.dispose();
  }

  /**
   * Gives this object the type tag by which native code of other addons recognizes a capsule. They call it: tags take most of the time of an
   * export, and consumers in JavaScript do not need them.
   */
  __dlpack_attach__(): void {
    if (!(#key in this) || this.#attached) return;
    native().dlpack.attachCapsule(this, this.#key);
    this.#attached = true;
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return `DLPackCapsule '${this.name}'`;
  }
}

function stateOf(capsule: object): number {
  return native().dlpack.capsuleState(DLPackCapsule.nativeOf(capsule));
}

/** Returns true for a DLPack capsule of any addon or copy of this library, consumed or not. */
export function isCapsule(value: unknown): value is object {
  return typeof value === 'object' && value !== null && stateOf(value) >= 0;
}

/** Returns true for a capsule with the versioned struct. */
export function isVersioned(capsule: object): boolean {
  return stateOf(capsule) >= VERSIONED;
}
