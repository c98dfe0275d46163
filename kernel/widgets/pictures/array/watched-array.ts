/** A weak reference to an array. A view that was collected is recreated while its memory is not freed. */

import { NDArray } from '../../../../src/array/array.ts';
import type { Storage } from '../../../../src/memory/storage.ts';

export class WatchedArray {
  readonly #array: WeakRef<NDArray>;
  /** Null if a view cannot be recreated: the mask of an array is collected with it. */
  readonly #storage: WeakRef<Storage> | null;
  /** Creates an equal view of the storage. */
  readonly #view: (storage: Storage) => NDArray;

  constructor(array: NDArray) {
    const { dtype, shape, strides, offset, stream, readOnly } = array;
    this.#array = new WeakRef(array);
    this.#storage = array.mask === null && !array.freed ? new WeakRef(array.storage) : null;
    this.#view = storage => new NDArray(storage, dtype, { shape, strides, offset }, stream, readOnly);
  }

  /** The array, which may be freed; undefined once it and its memory were collected. Do not keep or dispose it. */
  get current(): NDArray | undefined {
    const array = this.#array.deref();
    if (array !== undefined) return array;
    const storage = this.#storage?.deref();
    if (storage === undefined || storage.freed) return undefined;
    // An array that was collected without being disposed left its reference, which the new view takes over.
    return this.#view(storage);
  }
}
