/** Array operations of the addon with their storages and layouts as arguments. */

import type { NativeBinding, NativeStorage, NativeStream } from '../../../src/native/binding.ts';
import type { NativeCompute, NativeProgram } from '../../../src/native/compute-binding.ts';

type ReduceName = Parameters<NativeCompute['reduce']>[1];
type CumulateName = Parameters<NativeCompute['cumulate']>[1];
type Distribution = Parameters<NativeCompute['random']>[1];
type Storages = readonly NativeStorage[];

export function computeOf({ compute }: NativeBinding) {
  const words = compute.words();
  /** Writes the words of an operation, and returns how many there are. */
  const put = (layout: Float64Array, storages: Storages): number => {
    words.set([...storages.map(({ key }) => key), ...layout]);
    return storages.length + layout.length;
  };
  return {
    elementwise: (on: NativeStream, program: NativeProgram, layout: Float64Array, storages: Storages) =>
      compute.elementwise(on.key, program.key, put(layout, storages)),
    reduce: (
      on: NativeStream,
      operation: ReduceName,
      from: number,
      to: number,
      layout: Float64Array,
      storages: Storages
    ) => compute.reduce(on.key, operation, from, to, put(layout, storages)),
    cumulate: (
      on: NativeStream,
      operation: CumulateName,
      from: number,
      to: number,
      layout: Float64Array,
      storages: Storages
    ) => compute.cumulate(on.key, operation, from, to, put(layout, storages)),
    matmul: (on: NativeStream, type: number, layout: Float64Array, storages: Storages) =>
      compute.matmul(on.key, type, put(layout, storages)),
    take: (on: NativeStream, itemsize: number, indexType: number, layout: Float64Array, storages: Storages) =>
      compute.take(on.key, itemsize, indexType, put(layout, storages)),
    spaced: (
      on: NativeStream,
      type: number,
      first: number,
      step: number,
      layout: Float64Array,
      storages: Storages
    ) => compute.spaced(on.key, type, first, step, put(layout, storages)),
    random: (
      on: NativeStream,
      distribution: Distribution,
      type: number,
      seed: bigint,
      offset: bigint,
      parameters: Float64Array | BigInt64Array | null,
      layout: Float64Array,
      storages: Storages
    ) => compute.random(on.key, distribution, type, seed, offset, parameters, put(layout, storages))
  };
}
