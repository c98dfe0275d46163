/** Bindings of the addon for array operations in host code; see `binding.ts`. */

import type { NativeStream } from './binding.ts';
import type { NativeKey } from './keyed-binding.ts';

/** An immutable elementwise program, which can run any number of times. */
export interface NativeProgram {
  readonly [nativeProgram]: true;
  /** Names it in calls while it lives. */
  readonly key: NativeKey<NativeProgram>;
}
declare const nativeProgram: unique symbol;

/**
 * Array operations in host code for simulated devices; on other devices all throw kind `argument`. Each is one operation of the
 * stream, ordered after the uses of its storages, and returns its number. Its numbers are the first `count` of `words`: the keys of
 * its storages, then the layout. That holds integers: lengths, byte offsets of first elements and byte strides (negative or, except
 * for outputs, 0 are allowed; elements need no alignment). Elements outside a storage throw kind `bounds`, ranks above 32 and wrong
 * types kind `argument`. Types are indices into ELEMENT_TYPES, opcodes into OPCODES (src/compute/program/element-types.ts). Nothing
 * is submitted if there is nothing to write; then the number of the latest operation is returned.
 */
export interface NativeCompute {
  /** Returns the memory in which operations take their numbers. It is the same in each call, and is read before a call returns. */
  words(): Float64Array;
  /**
   * Encodes a program. `words`: counts of inputs, outputs, constants and instructions; the type of each input, of each
   * constant; for each instruction its opcode, result type and three registers (-1 if unused); for each output its register
   * and type. Registers are the inputs, then the constants, then the results. `constants` has 16 bytes for each, starting with
   * its stored form. Operands of an instruction have one type, which is that of the result except for comparisons and tests
   * (bool), `cast`, `where` (bool, then two) and the real parts and magnitudes of complex numbers.
   */
  makeProgram(words: Int32Array, constants: Uint8Array): NativeProgram;
  /**
   * Runs a program. Storages: those of the outputs, then of the inputs. Layout: rank, shape, then offset and strides
   * for each storage. An output may coincide exactly with an input; any other overlap is undefined.
   */
  elementwise(stream: NativeKey<NativeStream>, program: NativeKey<NativeProgram>, count: number): number;
  /**
   * Reduces axes. Storages: of the result and of the input. Layout: kept rank, kept shape, reduced rank, reduced shape, then the
   * result's offset and strides (kept axes), the input's offset and strides (kept axes, then reduced ones). Elements are cast to the
   * type of the result (any, all: to bool) and combined there, small floats in float32; float sums are pairwise by blocks. NaN counts as
   * both the least and the greatest value. `argmin` and `argmax` compare in the input's type and return, as int64, the first position in
   * row-major order of the reduced axes; they need elements, the others return their identity for none (`min`: the largest value).
   */
  reduce(
    stream: NativeKey<NativeStream>,
    operation: 'sum' | 'prod' | 'min' | 'max' | 'any' | 'all' | 'argmin' | 'argmax',
    inputType: number,
    outputType: number,
    count: number
  ): number;
  /**
   * Computes cumulative results along one axis, also in place. Storages: of the result and of the input. Layout: rank, shape,
   * axis, the result's offset and strides, the input's. Small floats accumulate in float32 and are rounded when stored.
   */
  cumulate(
    stream: NativeKey<NativeStream>,
    operation: 'sum' | 'prod' | 'min' | 'max',
    inputType: number,
    outputType: number,
    count: number
  ): number;
  /**
   * Multiplies matrices. Storages: of the result, of a and of b. Layout: batch rank, batch shape,
   * m, n, k, then for the result (m by n), a (m by k) and b (k by n) each: offset, batch strides, row stride, column stride. The result must not be an operand.
   * Small floats accumulate in float32 and are rounded once, integers wrap, bool products combine with OR.
   */
  matmul(stream: NativeKey<NativeStream>, type: number, count: number): number;
  /**
   * Computes out[..., i, ...] = in[..., index[i], ...] along an axis, for elements of `itemsize` bytes (1, 2, 4, 8, 16). Storages: of
   * the result, of the input and of the index. Layout: rank, the result's shape, axis, the input's length along it, mode, the result's offset and strides, the input's, the index's
   * offset and stride. `indexType` is that of int32 or int64. Negative indices count from the end. In mode 1, indices out of range
   * are taken modulo the length; in mode 0 their elements become zero and `invalidIndices` counts them.
   */
  take(stream: NativeKey<NativeStream>, itemsize: number, indexType: number, count: number): number;
  /** Returns how many indices `take` found out of range since the last call, on all simulated devices of the process. */
  invalidIndices(): number;
  /**
   * Writes first + i * step, computed in float64, to a contiguous result of float32 or float64. Storage: of the result. Layout: count,
   * byte offset.
   */
  spaced(stream: NativeKey<NativeStream>, type: number, first: number, step: number, count: number): number;
  /**
   * Draws random numbers, equal on every device for equal seed and offset; native/compute/random.h defines them. Storage: of the
   * result. Layout: count, byte offset; the result is contiguous. Each counter from `offset` on gives 4 elements, or 2 of a 64-bit type. `bits` and `integers` give integers,
   * `uniform` and `normal` float16, bfloat16, float32 and float64. `parameters`: low and high (excluded) or mean and deviation; null for
   * `bits`. For uint64 the BigInt64Array holds the bit patterns.
   */
  random(
    stream: NativeKey<NativeStream>,
    distribution: 'bits' | 'uniform' | 'normal' | 'integers',
    type: number,
    seed: bigint,
    offset: bigint,
    parameters: Float64Array | BigInt64Array | null,
    count: number
  ): number;
}
