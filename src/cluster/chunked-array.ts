/** Arrays in blocks on the workers of a cluster: Dask arrays, columns of Dask dataframes, and results of tasks. */

import type { NDArray } from '../array/array.ts';
import type { Descr, DType, DTypeLike } from '../dtype/dtype.ts';
import { recordDType, toDType } from '../dtype/resolve.ts';
import type { Shape } from '../layout/shape.ts';
import type { PyObject } from '../python/interpreter/object.ts';
import { python } from '../python/python.ts';
import type { Connection } from './python-client.ts';
import type { Remote } from './remote.ts';

/** An array in blocks. Each block is an array on a worker, which tasks use where it is. */
export interface ChunkedArray {
  readonly shape: Shape;
  /** The lengths of the blocks along each axis. */
  readonly chunks: readonly (readonly number[])[];
  readonly dtype: DType;
  /** The blocks in row-major order. */
  readonly blocks: readonly Remote<NDArray>[];
}

/** Options of `Cluster.toDask`. */
export interface ToDaskOptions {
  /** The lengths of the blocks along each axis. */
  readonly chunks: readonly (readonly number[])[];
  /** The dtype of all blocks. */
  readonly dtype: DTypeLike;
  /** Whether the blocks are on GPUs, so that tasks of Python see arrays of CuPy. Default: false, arrays of NumPy. */
  readonly gpu?: boolean;
}

/** Returns the blocks of a Dask collection; `remote` makes the remote value of a future's number. */
export async function chunksFromDask(
  connection: Connection,
  collection: PyObject,
  remote: (number: number) => Remote<NDArray>
): Promise<ChunkedArray> {
  const found = (await python.callAsync(connection.from_dask, collection)) as PyObject;
  const [shape, chunks, dtype, first, count] = python.toJS(found) as [
    Shape,
    number[][],
    string,
    number,
    number
  ];
  const parsed = JSON.parse(dtype) as string | Descr;
  return {
    shape,
    chunks,
    dtype: typeof parsed === 'string' ? toDType(parsed) : recordDType(parsed),
    blocks: Array.from({ length: count }, (_, index) => remote(first + index))
  };
}

/** Returns a Dask array over blocks, which stay on their workers. */
export function chunksToDask(
  connection: Connection,
  blocks: readonly Remote<NDArray>[],
  { chunks, dtype, gpu = false }: ToDaskOptions
): PyObject {
  const { descr, name } = toDType(dtype);
  const numbers = blocks.map(({ number }) => number);
  return connection.to_dask(numbers, chunks, JSON.stringify(descr ?? name), gpu);
}
