/** The part of the addon that runs array operations in host code; beside `binding.ts`. */

import type { NativeStorage, NativeStream } from './binding.ts';

/** An immutable elementwise program, for any number of operations. */
export interface NativeProgram {
  readonly [nativeProgram]: true;
}
declare const nativeProgram: unique symbol;

/**
 * Array operations in host code, for simulated devices: on others all throw kind `argument`. Each is one operation of the
 * stream, ordered after the uses of its storages. `layout` holds whole numbers: lengths, byte offsets of first elements and
 * byte strides (negative ones and, but for outputs, 0 are welcome; elements may lie at any address). Elements outside a storage
 * are kind `bounds`, ranks past 32 and wrong types kind `argument`. Types are indices into ELEMENT_TYPES, opcodes
 * into OPCODES (src/compute/program/element-types.ts). Nothing is submitted where there is nothing to write.
 */
export interface NativeCompute {
  /**
   * `words`: counts of inputs, outputs, constants and instructions; the type of each input, of each constant; for each
   * instruction its opcode, result type and three registers (-1 where unused); for each output its register and type.
   * Registers are the inputs, then the constants, then the results. `constants` has 16 bytes for each, of which the first hold
   * its element as memory would. Operands of an instruction have one type, which is the result's but for comparisons and tests
   * (bool), `cast`, `where` (bool, then two) and the real parts and sizes of complex numbers.
   */
  makeProgram(words: Int32Array, constants: Uint8Array): NativeProgram;
  /**
   * `storages`: those of the outputs, then of the inputs. `layout`: rank, shape, then for each of them offset and strides.
   * An output may be exactly the elements of an input; what another overlap gives is undefined.
   */
  elementwise(
    stream: NativeStream,
    program: NativeProgram,
    layout: Float64Array,
    storages: readonly NativeStorage[]
  ): void;
  /**
   * `storages`: of the result and of the input. `layout`: kept rank, kept shape, reduced rank, reduced shape, then the result's
   * offset and strides (kept axes), the input's offset and strides (kept axes, then reduced ones). Elements are cast to
   * the type of the result (any, all: to bool) and combined there, small floats in float32; float sums go in pairs of blocks. NaN is
   * the least and the greatest. `argmin` and `argmax` compare in the input's type and give, as int64, the first place
   * in row-major order of the reduced axes; they need elements, the others give their identity for none (`min`: the largest value).
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
   * Running combinations along one axis, in place too. `layout`: rank, shape, axis, the result's offset and strides, the input's.
   * Small floats carry float32 on and are rounded where they are written.
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
   * `layout`: batch rank, batch shape, m, n, k, then of the result (m by n), a (m by k) and b (k by n) each: offset, batch strides,
   * row stride, column stride. The result is neither of the others. Small floats accumulate in float32 and are rounded once,
   * integers wrap, bool is any of all.
   */
  matmul(
    stream: NativeStream,
    type: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage, NativeStorage]
  ): void;
  /**
   * out[..., i, ...] = in[..., index[i], ...] along an axis, of elements of `itemsize` bytes (1, 2, 4, 8, 16). `layout`: rank, the
   * result's shape, axis, the input's length along it, mode, the result's offset and strides, the input's, the index's offset and
   * stride. `indexType` is that of int32 or int64. Negative numbers count from the end. Those outside are taken modulo the length in
   * mode 1; in mode 0 their elements become zeros and `invalidIndices` counts them.
   */
  take(
    stream: NativeStream,
    itemsize: number,
    indexType: number,
    layout: Float64Array,
    storages: readonly [NativeStorage, NativeStorage, NativeStorage]
  ): void;
  /** How many numbers `take` found outside since the last call, on all simulated devices of the process. */
  invalidIndices(): number;
  /**
   * Random numbers, the same on every device for the same seed and offset: native/compute/random.h writes down how. `layout`:
   * count, byte offset; the result has no gaps. One counter from `offset` on makes 4 elements, of 64-bit types 2. `bits` and
   * `integers` make integers, `uniform` and `normal` float16, bfloat16, float32 and float64. `parameters`: low and high (excluded) or mean and
   * deviation; null for `bits`. For uint64 the BigInt64Array holds the bits of its numbers.
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
