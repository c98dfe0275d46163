/** The types of python/stridelab/cluster/client.py, as far as this folder uses it. */

import type { PyObject } from '../python/interpreter/object.ts';

/** A connected client. Methods that wait for the cluster are called with `python.callAsync`. */
export interface Connection {
  readonly client: PyObject;
  submit(function_: PyObject, values: readonly unknown[], options: object): PyObject;
  readonly map: PyObject;
  readonly scatter: PyObject;
  readonly cancel: PyObject;
  readonly who_has: PyObject;
  readonly collect: PyObject;
  readonly close: PyObject;
  readonly from_dask: PyObject;
  to_dask(
    futures: readonly PyObject[],
    chunks: readonly (readonly number[])[],
    dtype: string,
    gpu: boolean
  ): PyObject;
  watch(future: PyObject, number: number): void;
  /** Numbers of watched futures that ended. */
  ended(): PyObject;
}

export interface ClientModule {
  readonly Connection: PyObject;
  Function(digest: string, name: string, source: string): PyObject;
  wrap(array: PyObject): PyObject;
  explain(exception: unknown): PyObject | undefined;
}
