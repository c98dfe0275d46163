/** Random numbers by Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", 2011), equal on every device. */

import type { NDArray } from '../array/array.ts';
import { empty, type CreationOptions } from '../array/creation.ts';
import { dtypes, integerRange, type DTypeName } from '../dtype/dtype.ts';
import { toDType } from '../dtype/resolve.ts';
import { DTypeError, ValueError } from '../base/errors.ts';
import type { ShapeLike } from '../layout/shape.ts';
import { textOf } from '../base/value-text.ts';
import type { Distribution, RandomRun } from '../compute/program/runs.ts';
import { backendOf } from '../compute/run.ts';
import { filled } from './evaluate.ts';

type DrawnType = RandomRun['type'];

/** The dtypes of each distribution; the first one is the default. */
const TYPES: Readonly<Record<Distribution, readonly [DrawnType, ...DrawnType[]]>> = {
  uniform: ['float64', 'float32'],
  normal: ['float64', 'float32'],
  integers: ['int64', 'int32', 'uint32', 'uint64'],
  bits: ['uint32', 'uint64']
};

/** Options of a draw: dtype, device and stream of the new array. */
export type DrawOptions<D extends DTypeName> = CreationOptions<D>;

/** A counter-based random number generator. Each draw advances its position, in blocks of four 32-bit words. */
export class RandomGenerator {
  /** The seed: generators of one seed draw the same numbers. */
  readonly seed: bigint;
  #position: bigint;

  /** @throws ValueError for a number that is not a safe integer */
  constructor(seed: number | bigint = 0, position = 0n) {
    this.seed = BigInt.asUintN(64, toWhole('seed', seed));
    this.#position = BigInt.asUintN(64, position);
  }

  /** The number of blocks drawn so far. A new generator with this position continues from here. */
  get position(): bigint {
    return this.#position;
  }

  /** Draws uniform numbers from [0, 1): multiples of 2^-24 in float32, of 2^-53 in float64. Default float64. */
  uniform<D extends 'float32' | 'float64' = 'float64'>(
    shape: ShapeLike,
    options: DrawOptions<D> = {}
  ): NDArray<D> {
    return this.#draw('uniform', shape, options);
  }

  /** Draws normal numbers of mean 0 and variance 1, with the Box-Muller transform. Default float64. */
  normal<D extends 'float32' | 'float64' = 'float64'>(
    shape: ShapeLike,
    options: DrawOptions<D> = {}
  ): NDArray<D> {
    return this.#draw('normal', shape, options);
  }

  /**
   * Draws whole numbers from `low` up to, but not including, `high`. Default int64. The relative difference between the probabilities of
   * two values is at most (high - low) / 2^32 for 32-bit types, and (high - low) / 2^64 for 64-bit types.
   * @throws ValueError for bounds that the type cannot hold or an empty range
   */
  integers<D extends 'int32' | 'int64' | 'uint32' | 'uint64' = 'int64'>(
    low: number | bigint,
    high: number | bigint,
    shape: ShapeLike,
    options: DrawOptions<D> = {}
  ): NDArray<D> {
    const dtype = toDType(options.dtype ?? dtypes.int64);
    const [from, to] = [toWhole('integers: bound', low), toWhole('integers: bound', high)];
    const [least, most] = integerRange(dtype);
    if (from >= to) throw new ValueError(`integers: the range from ${from} to below ${to} is empty`);
    if (from < least || to > most + 1n)
      throw new ValueError(`integers: ${from} to ${to} is outside ${dtype.name}`);
    return this.#draw('integers', shape, options, from, to - from);
  }

  /** Draws random words with all bits random. Default uint32. */
  bits<D extends 'uint32' | 'uint64' = 'uint32'>(shape: ShapeLike, options: DrawOptions<D> = {}): NDArray<D> {
    return this.#draw('bits', shape, options);
  }

  #draw<D extends DTypeName>(
    distribution: Distribution,
    shape: ShapeLike,
    options: CreationOptions<D>,
    low = 0n,
    span = 0n
  ): NDArray<D> {
    const allowed = TYPES[distribution];
    const dtype = toDType(options.dtype ?? allowed[0]);
    if (!allowed.includes(dtype.name as DrawnType))
      throw new DTypeError(
        `${distribution}: dtype ${dtype.name} is not supported, expected ${allowed.toSorted().join(', ')}: convert the result with astype()`
      );
    const result = empty(shape, { ...options, dtype }) as unknown as NDArray<D>;
    const perBlock = 16 / dtype.itemsize;
    const blocks = Math.ceil(result.size / perBlock);
    const position = this.#position;
    this.#position = BigInt.asUintN(64, position + BigInt(blocks));
    if (blocks === 0) return result;
    const { stream } = result;
    return filled(result, output =>
      backendOf(stream).random({
        distribution,
        type: dtype.name as DrawnType,
        output,
        seed: this.seed,
        position,
        low,
        span: BigInt.asUintN(dtype.bits === 64 ? 64 : 33, span),
        stream
      })
    );
  }
}

function toWhole(what: string, value: number | bigint): bigint {
  if (typeof value === 'number' && !Number.isSafeInteger(value))
    throw new ValueError(`${what} ${textOf(value)} is not a safe integer: pass a bigint for more than 2^53`);
  return BigInt(value);
}
