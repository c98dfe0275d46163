/** Copies of a launch's arguments, for runs that leave the arrays as they are. */

import { NDArray } from '../../array/array.ts';
import type { Device } from '../../core/device.ts';
import { dtypes } from '../../dtype/dtype.ts';
import { TypedValue } from '../../jit/typed-value.ts';
import type { Storage } from '../../memory/storage.ts';
import { arraysIn } from './nested-arrays.ts';
import { spansOf, type Span } from './spans.ts';

/** Arguments with copies on a device in place of their arrays. The copies keep strides, and share memory where the arrays do. */
export class ArgumentCopies {
  readonly values: readonly unknown[];
  readonly #spans: Map<Storage, Span>;
  readonly #device: Device;
  readonly #storages = new Map<Storage, NDArray>();
  readonly #made: NDArray[] = [];

  constructor(values: readonly unknown[], device: Device) {
    this.#device = device;
    this.#spans = spansOf(arraysIn(values));
    try {
      this.values = values.map(value => this.#copyOf(value));
    } catch (error) {
      this[Symbol.dispose](); // nobody else has the copies that were made before the memory was used up
      throw error;
    }
  }

  #copyOf(value: unknown): unknown {
    if (value instanceof NDArray) return this.#copyArray(value as NDArray);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([name, field]) => [name, this.#copyOf(field)]));
  }

  #copyArray({ storage, dtype, shape, strides, offset, readOnly, stream }: NDArray): NDArray {
    const { start, end } = this.#spans.get(storage)!;
    let bytes = this.#storages.get(storage);
    if (bytes === undefined) {
      const view = { shape: [end - start], strides: [1], offset: start };
      using all = new NDArray(storage.retain(), dtypes.uint8, view, stream);
      bytes = all.device === this.#device ? all.copy() : all.toDevice(this.#device);
      this.#storages.set(storage, bytes);
      this.#made.push(bytes);
    }
    const view = { shape, strides, offset: offset - start };
    const copy = new NDArray(bytes.storage.retain(), dtype, view, bytes.stream, readOnly);
    this.#made.push(copy);
    return copy;
  }

  [Symbol.dispose](): void {
    for (const array of this.#made) array.dispose();
  }
}

const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !(value instanceof TypedValue);
