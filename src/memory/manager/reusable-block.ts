/** Memory that its manager takes back with the storage of its last array. */

import type { Stream } from '../../core/stream.ts';
import type { NativeStorage } from '../../native/binding.ts';
import type { KeyedObject } from '../../native/keyed-object.ts';

/**
 * A block that is taken back with its storage and the uses noted there: the next owner's work is ordered after them on the device, so that
 * its manager need not wait. For the library's own use.
 */
export abstract class ReusableBlock {
  /** The block's size as its manager counts it. */
  readonly bytes: number;
  #storage: KeyedObject<NativeStorage> | null = null;

  constructor(bytes: number) {
    this.bytes = bytes;
  }

  /** Keeps the block, whose storage was given back; `stream` is the only one that used it, null if there were several. */
  protected abstract keep(stream: Stream | null): void;

  /** Returns the storage of the block's previous owner, or null. The caller then owns it. */
  take(): KeyedObject<NativeStorage> | null {
    const storage = this.#storage;
    this.#storage = null;
    return storage;
  }

  /** Takes back the block; `stream` is the only one that used it, null if there were several. */
  give(storage: KeyedObject<NativeStorage>, stream: Stream | null): void {
    this.#storage = storage;
    this.keep(stream);
  }

  /** Makes `stream` wait, on the device, for all uses of the block. */
  order(stream: Stream): void {
    this.#storage?.native.prepare(stream.native, 'write');
  }

  /** Releases the kept storage, which frees the block when its work is done. Returns whether that was the last reference; null without a storage. */
  dropStorage(): boolean | null {
    return this.take()?.native.release() ?? null;
  }
}
