/** A growing buffer of elements as they lie in memory. */

import { dtypes, type FixedDTypeName } from '../../dtype/dtype.ts';
import { writeScalar } from '../../dtype/elements.ts';
import { hostArrayOver } from '../../dtype/host-array.ts';
import { ELEMENTS, type ElementType } from '../program/types.ts';

/** Returns elements in the form of memory. */
function stored(element: ElementType, values: readonly (number | bigint | boolean)[]): Uint8Array {
  const dtype = dtypes[ELEMENTS[element].dtype as FixedDTypeName];
  const memory = new ArrayBuffer(values.length * dtype.itemsize);
  const host = hostArrayOver(dtype, memory);
  values.forEach((value, index) => writeScalar(host, dtype, index, value));
  return new Uint8Array(memory);
}

export class Bytes {
  #memory = new Uint8Array(256);
  #length = 0;

  #grow(bytes: number): number {
    const at = this.#length;
    this.#length += bytes;
    if (this.#length > this.#memory.length) {
      const larger = new Uint8Array(2 * this.#length);
      larger.set(this.#memory);
      this.#memory = larger;
    }
    return at;
  }

  /** Pads to a multiple of `bytes`; returns the length. */
  align(bytes: number): number {
    this.#grow((bytes - (this.#length % bytes)) % bytes);
    return this.#length;
  }

  /** Returns where the bytes begin. */
  add(bytes: Uint8Array): number {
    const at = this.#grow(bytes.length);
    this.#memory.set(bytes, at);
    return at;
  }

  elements(element: ElementType, values: readonly (number | bigint | boolean)[]): void {
    this.add(stored(element, values));
  }

  finish(): Uint8Array {
    return this.#memory.slice(0, this.#length);
  }
}
