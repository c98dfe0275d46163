/**
 * Reads the tensor that native code took last, from a shared array: creating an object for it would cost more than the native call.
 * Rules 123 to 131.
 */

import { BufferError, DTypeError } from '../../base/errors.ts';
import { dtypeFromDlpack } from '../../dtype/dlpack.ts';
import type { DLDataType, DType } from '../../dtype/dtype.ts';
import type { Shape } from '../../layout/shape.ts';
import type { Strides } from '../../layout/strides.ts';
import type { DLDevice } from '../../protocols/dlpack-device.ts';
import { FIELD, FLAG } from './fields.ts';
import { foldPacked, isPacked } from './packed.ts';

export interface TensorLayout {
  readonly dtype: DType;
  readonly shape: Shape;
  /** In bytes. */
  readonly strides: Strides;
}

/** Returns the dtype of a triple. @throws BufferError for an unknown dtype */
function dtypeOf(triple: DLDataType): DType {
  try {
    return dtypeFromDlpack(triple);
  } catch (error) {
    if (error instanceof DTypeError) throw new BufferError(error.message, { cause: error });
    throw error;
  }
}

/** Makes frozen lists of numbers; reuses the last list if equal, since most loops import arrays of one shape. */
class Axes {
  #last: readonly number[] = Object.freeze([]);

  read(fields: Float64Array, from: number, count: number, factor: number): readonly number[] {
    const last = this.#last;
    let axis = 0;
    if (last.length === count)
      while (axis < count && last[axis] === (fields[from + axis] as number) * factor) axis++;
    if (axis === count && last.length === count) return last;
    const made: number[] = [];
    for (axis = 0; axis < count; axis++) {
      const value = (fields[from + axis] as number) * factor;
      // Keeps V8's small integers: freezing would convert an array of doubles.
      made.push((value | 0) === value ? value | 0 : value);
    }
    this.#last = Object.freeze(made);
    return this.#last;
  }
}

export class TensorReader {
  readonly #fields: Float64Array;
  /** The tensor's fields as 64-bit words, over the memory of `#fields`. */
  readonly #words: BigUint64Array;
  readonly #shapes = new Axes();
  readonly #strides = new Axes();
  #dtype: DType | undefined;
  #dtypeKey = -1;

  constructor(fields: Float64Array) {
    this.#fields = fields;
    this.#words = new BigUint64Array(fields.buffer as ArrayBuffer);
  }

  /** Bytes from the start of the storage for a tensor of this library, otherwise -1; below that, the fields describe nothing. */
  get offset(): number {
    return this.#at(FIELD.offset);
  }

  /** The major version of the tensor's struct, or the version of an array interface. */
  get version(): number {
    return this.#at(FIELD.major);
  }

  get readOnly(): boolean {
    return (this.#at(FIELD.flags) & FLAG.READ_ONLY) !== 0;
  }

  get copied(): boolean {
    return (this.#at(FIELD.flags) & FLAG.IS_COPIED) !== 0;
  }

  get device(): DLDevice {
    return [this.#at(FIELD.deviceType), this.#at(FIELD.deviceId)];
  }

  /** The span of the tensor's bytes, relative to its first element. */
  get start(): number {
    return this.#at(FIELD.extentStart);
  }

  get end(): number {
    return this.#at(FIELD.extentEnd);
  }

  /** The address of the first byte that the tensor spans. */
  get first(): bigint {
    return this.#words[FIELD.addressWord] as bigint;
  }

  /** The stream with the producer's work; 0n for none. */
  get stream(): bigint {
    return this.#words[FIELD.streamWord] as bigint;
  }

  /** The stream of the producer's later work; 0n if unknown. */
  get producer(): bigint {
    return this.#words[FIELD.producerWord] as bigint;
  }

  /** Returns the layout. @throws BufferError for an unknown dtype */
  layout(): TensorLayout {
    const code = this.#at(FIELD.code);
    const bits = this.#at(FIELD.bits);
    const lanes = this.#at(FIELD.lanes);
    const ndim = this.#at(FIELD.ndim);
    const shape = this.#shapes.read(this.#fields, FIELD.shape, ndim, 1);
    if (bits % 8 !== 0 || lanes !== 1) return this.#vectors({ code, bits, lanes }, shape);
    const key = code * 256 + bits;
    if (key !== this.#dtypeKey) {
      this.#dtype = dtypeOf({ code, bits, lanes });
      this.#dtypeKey = key;
    }
    const dtype = this.#dtype as DType;
    return { dtype, shape, strides: this.#strides.read(this.#fields, FIELD.strides, ndim, dtype.itemsize) };
  }

  /** Returns the layout of vectors, and of packed elements below a byte, which become vectors. */
  #vectors(triple: DLDataType, shape: Shape): TensorLayout {
    const strides = this.#strides.read(this.#fields, FIELD.strides, shape.length, 1);
    const given = { dtype: triple, shape, strides };
    const padded = (this.#at(FIELD.flags) & FLAG.SUBBYTE_PADDED) !== 0;
    const folded = isPacked(triple) && !padded ? foldPacked(given) : given;
    const dtype = dtypeOf(folded.dtype);
    const inBytes = folded.strides.map(stride => stride * dtype.itemsize);
    return { dtype, shape: Object.freeze(folded.shape), strides: Object.freeze(inBytes) };
  }

  #at(field: number): number {
    return this.#fields[field] as number;
  }
}
