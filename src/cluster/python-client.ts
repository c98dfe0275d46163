/** The types of python/stridelab/cluster/client.py, as far as this folder uses it. */

import type { PyObject } from '../python/interpreter/object.ts';

/** A connected client. Methods that wait for the cluster are called with `python.callAsync`. Futures are known by numbers. */
export interface Connection {
  readonly client: PyObject;
  keep(futures: readonly PyObject[]): number;
  release(numbers: readonly number[]): void;
  future(number: number): PyObject;
  key(number: number): string;
  status(number: number): string;
  submit(
    function_: PyObject,
    values: readonly unknown[],
    places: readonly number[],
    options: Readonly<Record<string, unknown>>
  ): number;
  readonly map: PyObject;
  readonly cancel: PyObject;
  readonly scatter: PyObject;
  readonly from_dask: PyObject;
  to_dask(
    numbers: readonly number[],
    chunks: readonly (readonly number[])[],
    dtype: string,
    gpu: boolean
  ): PyObject;
  readonly who_has: PyObject;
  watch(numbers: readonly number[]): void;
  ended(): PyObject;
  readonly count_ended: PyObject;
  readonly gather: PyObject;
  readonly collect: PyObject;
  readonly run_everywhere: PyObject;
  readonly clock_offsets: PyObject;
  readonly close: PyObject;
}

export interface ClientModule {
  readonly Connection: PyObject;
  Function(digest: string, name: string, source: string): PyObject;
  wrap(array: PyObject): PyObject;
  explain(exception: unknown): PyObject | undefined;
}
