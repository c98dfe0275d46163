/** Bindings of the addon for array operations in host code; see `binding.ts`. */

import type { NativeStorage, NativeStream } from './binding.ts';

/** An immutable elementwise program, which can run any number of times. */
export interface NativeProgram {
  readonly [nativeProgram]: true;
}
declare const nativeProgram: unique symbol;

/**
 * Array operations in host code for simulated devices; on other devices all throw kind `argument`. Each is one operation of the
 * stream, ordered after the uses of its storages. `layout` holds integers: lengths, byte offsets of first elements and byte
 * strides (negative or, except for outputs, 0 are allowed; elements need no alignment). Elements outside a storage throw kind
 * `bounds`, ranks above 32 and wrong types kind `argument`. Types are indices into ELEMENT_TYPES, opcodes into OPCODES
 * (src/compute/program/element-types.ts). Nothing is submitted if there is nothing to write.
 */
export interface NativeCompute {
  /**
   * Encodes a program. `words`: counts of inputs, outputs, constants and instructions; the type of each input, of each
   * constant; for each instruction its opcode, result type and three registers (-1 if unused); for each output its register
   * and type. Registers are the inputs, then the constants, then the results. `constants` has 16 bytes for each, starting with
   * its stored form. Operands of an instruction have one type, which is that of the result except for comparisons and tests
   * (bool), `cast`, `where` (bool, then two) and the real parts and magnitudes of complex numbers.
   */
  makeProgram(words: Int32Array, constants: Uint8Array): NativeProgram;
  /**
   * Runs a program. `storages`: those of the outputs, then of the inputs. `layout`: rank, shape, then offset and strides
   * for each storage. An output may coincide exactly with an input; any other overlap is undefined.
   */
  elementwise(
    stream: NativeStream,
    program: NativeProgram,
    layout: Float64Array,
    storages: readonly NativeStorage[]
  ): void;
  /**
   * Reduces axes. `storages`: of the result and of the input. `layout`: kept rank, kept shape, reduced rank, reduced shape, then the
   * result's offset and strides (kept axes), the input's offset and strides (kept axes, then reduced ones). Elements are cast to the
   * type of the result (any, all: to bool) and combined there, small floats in float32; float sums are pairwise by blocks. NaN counts as
   * both the least and the greatest value. `argmin` and `argmax` compare in the input's type and return, as int64, the first position in
   * row-major order of the reduced axes; they need elements, the others return their identity for none (`min`: the largest value).
   */
  reduce(
    stream: NativeStream,
    operation: 'sum' | 'prod' | 'min' | 'max' | 'any' | 'all' | 'argmin' | 'argmax',
    inputType: number,
    outputType: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage]
  ): void;
  /**
   * Computes cumulative results along one axis, also in place. `layout`: rank, shape, axis, the result's
   * offset and strides, the input's. Small floats accumulate in float32 and are rounded when stored.
   */
  cumulate(
    stream: NativeStream,
    operation: 'sum' | 'prod' | 'min' | 'max',
    inputType: number,
    outputType: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage]
  ): void;
  /**
   * Multiplies matrices. `layout`: batch rank, batch shape, m, n, k, then for the result (m by n), a (m by k)
   * and b (k by n) each: offset, batch strides, row stride, column stride. The result must not be an operand.
   * Small floats accumulate in float32 and are rounded once, integers wrap, bool products combine with OR.
   */
  matmul(
    stream: NativeStream,
    type: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage, NativeStorage]
  ): void;
  /**
   * Computes out[..., i, ...] = in[..., index[i], ...] along an axis, for elements of `itemsize` bytes (1, 2, 4, 8, 16). `layout`:
   * rank, the result's shape, axis, the input's length along it, mode, the result's offset and strides, the input's, the index's
   * offset and stride. `indexType` is that of int32 or int64. Negative indices count from the end. In mode 1, indices out of range
   * are taken modulo the length; in mode 0 their elements become zero and `invalidIndices` counts them.
   */
  take(
    stream: NativeStream,
    itemsize: number,
    indexType: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage, NativeStorage]
  ): void;
  /** Returns how many indices `take` found out of range since the last call, on all simulated devices of the process. */
  invalidIndices(): number;
  /**
   * Draws random numbers, equal on every device for equal seed and offset; native/compute/random.h defines them. `layout`: count, byte offset;
   * the result is contiguous. Each counter from `offset` on gives 4 elements, or 2 of a 64-bit type. `bits` and `integers` give integers,
   * `uniform` and `normal` float16, bfloat16, float32 and float64. `parameters`: low and high (excluded) or mean and deviation; null for
   * `bits`. For uint64 the BigInt64Array holds the bit patterns.
   */
  random(
    stream: NativeStream,
    distribution: 'bits' | 'uniform' | 'normal' | 'integers',
    type: number,
    seed: bigint,
    offset: bigint,
    parameters: Float64Array | BigInt64Array | null,
    layout: Float64Array,
    storages: readonly [NativeStorage]
  ): void;
}
