/** A native object with its key. */

import type { NativeKey } from './keyed-binding.ts';

/** A native object with its key, which is read once: those who share the object share this. */
export class KeyedObject<Native extends { readonly key: NativeKey<Native> }> {
  readonly native: Native;
  #key: NativeKey<Native> | undefined;

  constructor(native: Native) {
    this.native = native;
  }

  get key(): NativeKey<Native> {
    return (this.#key ??= this.native.key);
  }
}
