/** A native storage with its key. */

import type { NativeStorage } from './binding.ts';
import type { NativeKey } from './keyed-binding.ts';

/** A native storage with its key, which is read once: arrays that follow each other in the same memory share both. */
export class KeyedStorage {
  readonly native: NativeStorage;
  #key: NativeKey<NativeStorage> | undefined;

  constructor(native: NativeStorage) {
    this.native = native;
  }

  get key(): NativeKey<NativeStorage> {
    return (this.#key ??= this.native.key);
  }
}
