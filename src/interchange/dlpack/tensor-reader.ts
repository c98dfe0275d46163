/**
 * Reads the tensor that native code took last from the array that both share: an object for it would cost more than the call that took
 * it. Rules 123 to 131.
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
  /** Bytes. */
  readonly strides: Strides;
}

/** @throws BufferError for a dtype that is not known */
function dtypeOf(triple: DLDataType): DType {
  try {
    return dtypeFromDlpack(triple);
  } catch (error) {
    if (error instanceof DTypeError) throw new BufferError(error.message, { cause: error });
    throw error;
  }
}

/** Frozen lists of numbers; an equal list is not made twice in a row, since most loops import arrays of one shape. */
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
      // V8's own small integers: an array of doubles is rebuilt when it is frozen.
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

  /** Bytes from the start of the storage for a tensor of this library, otherwise -1. */
  get offset(): number {
    return this.#at(FIELD.offset);
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

  get deviceType(): number {
    return this.#at(FIELD.deviceType);
  }

  /** Bytes that the tensor touches, relative to its first element. */
  get start(): number {
    return this.#at(FIELD.extentStart);
  }

  get end(): number {
    return this.#at(FIELD.extentEnd);
  }

  /** First byte that the tensor touches. */
  get first(): bigint {
    return this.#words[FIELD.addressWord] as bigint;
  }

  /** The stream that the producer's work is on, 0n for none. */
  get stream(): bigint {
    return this.#words[FIELD.streamWord] as bigint;
  }

  /** The stream of the producer's later work, 0n if unknown. */
  get producer(): bigint {
    return this.#words[FIELD.producerWord] as bigint;
  }

  /** @throws BufferError for a dtype that is not known */
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

  /** The layout of vectors, and of elements below a byte, which become vectors where they are packed. */
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
