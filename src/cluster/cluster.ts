/** A connection to a Dask cluster whose workers run tasks in TypeScript. */

import { NDArray } from '../array/array.ts';
import { ArgumentError } from '../base/errors.ts';
import { notebookHost } from '../notebook/host.ts';
import { ProgressBar } from '../notebook/progress.ts';
import type { PyObject } from '../python/interpreter/object.ts';
import { python } from '../python/python.ts';
import { asCompleted, type EndedTask } from './as-completed.ts';
import { ClusterTrace, type ClusterTraceOptions } from './cluster-trace.ts';
import { chunksFromDask, chunksToDask, type ChunkedArray, type ToDaskOptions } from './chunked-array.ts';
import {
  daskOptions,
  sourceOf,
  type FunctionSource,
  type TaskFunction,
  type TaskOptions
} from './function.ts';
import { ObservedCluster } from './observed-cluster.ts';
import type { ClientModule } from './python-client.ts';
import { Remote, type Lazy } from './remote.ts';
import type { Results } from './results.ts';
import { mapObjects } from './values.ts';

/** Options of `Cluster.fn`: those of all its tasks, and a name. */
export interface FunctionOptions extends TaskOptions {
  /** The name that keys, errors and pictures show. Default: the name of the function. */
  readonly name?: string;
}

/** Options of `Cluster.map`. */
export interface MapOptions extends Omit<TaskOptions, 'key'> {
  /** The number of tasks that are submitted at a time. Default: 1000. */
  readonly batchSize?: number;
}

/** Options of `Cluster.scatter`. */
export interface ScatterOptions {
  /** The number of workers that keep each value, so that the loss of one does not lose it. Default: 1. */
  readonly replicas?: number;
  /** The addresses or names of the workers that may keep the values. Default: all. */
  readonly workers?: readonly string[];
}

/** Options of `Cluster.gather`. */
export interface GatherOptions {
  /** The text before the progress bar, or false for no bar. By default a bar appears if the tasks take longer than half a second. */
  readonly progress?: string | boolean;
}

type Columns<Arguments extends readonly unknown[]> = {
  [Index in keyof Arguments]: readonly Lazy<Arguments[Index]>[];
};

/** The time after which `gather` shows a progress bar, and between two changes of it, in ms. */
const BAR_PERIOD = 500;

const sources = new WeakMap<object, { readonly source: FunctionSource; readonly options: TaskOptions }>();

/** A connection to a Dask cluster, which `connect` makes. `inspect(cluster)` shows it. */
export class Cluster extends ObservedCluster implements AsyncDisposable {
  readonly #module: ClientModule;
  readonly #results: Results;
  /** The tasks of cells that run, by the signal of the cell. */
  readonly #ofCells = new WeakMap<AbortSignal, WeakRef<Remote<unknown>>[]>();
  #closed = false;

  /** For `connect`. */
  constructor(module: ClientModule, results: Results) {
    super();
    this.#module = module;
    this.#results = results;
  }

  /** The `distributed.Client`, for Python. */
  override get client(): PyObject {
    return this.#results.connection.client;
  }

  /** Whether the connection was closed. */
  override get closed(): boolean {
    return this.#closed;
  }

  /** The address of the scheduler. */
  get address(): string {
    return String((this.client['scheduler'] as PyObject)['address']);
  }

  /** The address of Dask's dashboard, for a browser. */
  get dashboard(): string {
    return String(this.client['dashboard_link']);
  }

  /**
   * Makes a function whose calls run on workers. Its source travels there, so it may only use its arguments, what it imports, and globals
   * of Node. Equal calls share one task, so it must not depend on anything else; see `TaskOptions.pure`.
   * @throws ClusterError if it uses names that workers do not have
   */
  fn<Arguments extends readonly unknown[], Value>(
    function_: (...values: Arguments) => Value,
    { name, ...options }: FunctionOptions = {}
  ): TaskFunction<Arguments, Awaited<Value>> {
    return this.#task(sourceOf(function_, name), options);
  }

  /** Submits a task for each row of arguments: `map(f, xs, ys)` calls `f(xs[i], ys[i])`. Columns have equal lengths. */
  async map<Arguments extends readonly unknown[], Value>(
    function_: TaskFunction<Arguments, Value>,
    ...columns: [...Columns<NoInfer<Arguments>>, options?: MapOptions]
  ): Promise<Remote<Value>[]> {
    const last = columns.at(-1);
    const { batchSize = 1_000, ...own } = (Array.isArray(last) ? {} : (columns.pop() ?? {})) as MapOptions;
    if (!Number.isInteger(batchSize) || batchSize < 1)
      throw new ArgumentError(`cluster.map: batchSize is ${batchSize}, expected a whole number above 0`);
    const { source, options } = sources.get(function_) ?? { source: undefined, options: {} };
    if (source === undefined) throw new ArgumentError('cluster.map expects a function that cluster.fn made');
    const rows = columns as readonly (readonly unknown[])[];
    const length = rows[0]?.length ?? 0;
    if (rows.some(column => column.length !== length))
      throw new ArgumentError(
        `cluster.map: the columns have ${rows.map(({ length: each }) => each).join(', ')} rows`
      );
    const remotes: Remote<Value>[] = [];
    for (let at = 0; at < length; at += batchSize) {
      const parts = rows.map(column => this.#column(column.slice(at, at + batchSize)));
      const first = (await python.callAsync(
        this.#results.connection.map,
        this.#function(source),
        parts,
        daskOptions({ ...options, ...own })
      )) as number;
      const count = Math.min(batchSize, length - at);
      for (let index = 0; index < count; index++) remotes.push(this.#remote(first + index, source.source));
    }
    return remotes;
  }

  /**
   * Sends values to workers, spread over them. Arrays are sent without a copy in this process, so do not change them before the promise
   * resolves.
   */
  async scatter<Value>(
    values: readonly Value[],
    { replicas = 1, workers }: ScatterOptions = {}
  ): Promise<Remote<Value>[]> {
    if (!Array.isArray(values))
      throw new ArgumentError('cluster.scatter expects an array of values: [x] for one value');
    const options = { replicas, ...(workers === undefined ? {} : { workers }) };
    const first = (await python.callAsync(
      this.#results.connection.scatter,
      values.map(value => this.#toTask(value)),
      options
    )) as number;
    return values.map((_, index) => this.#remote<Value>(first + index));
  }

  /** Fetches values in order, and shows a progress bar meanwhile. Rejects with the first error; the other tasks go on. */
  async gather<Value>(
    remotes: readonly Remote<Value>[],
    { progress = true }: GatherOptions = {}
  ): Promise<Value[]> {
    if (remotes.length === 0) return [];
    let bar: ProgressBar | undefined;
    let counting = false;
    const count = async (): Promise<void> => {
      if (counting) return;
      counting = true;
      const ended = await this.#results.countEnded(remotes);
      if (bar !== undefined) bar.count = ended;
      counting = false;
    };
    const timer = setInterval(() => {
      bar ??= new ProgressBar({
        total: remotes.length,
        description: typeof progress === 'string' ? progress : ''
      });
      // A failure also reaches the fetch of the values, which reports it.
      count().catch(() => undefined);
    }, BAR_PERIOD);
    if (progress === false) clearInterval(timer);
    try {
      const values = await this.#results.gather(remotes);
      if (bar !== undefined) bar.count = remotes.length;
      return values as Value[];
    } finally {
      clearInterval(timer);
      bar?.finish();
      // A count that comes late changes nothing.
      bar = undefined;
    }
  }

  /** Yields tasks in the order in which they end, with or without an error. */
  asCompleted<Value>(remotes: Iterable<Remote<Value>>): AsyncGenerator<EndedTask<Value>, void, undefined> {
    return asCompleted(remotes);
  }

  /** Cancels tasks for all who wait for them. */
  cancel(remotes: readonly Remote<unknown>[]): Promise<void> {
    return this.#results.cancel(remotes);
  }

  /** Makes a remote value of a future of Python's `distributed.Client`, such as `cluster.client.submit(...)`. */
  remote<Value = unknown>(future: PyObject): Remote<Value> {
    return new Remote<Value>(this.#results, this.#results.connection.keep([future]));
  }

  /**
   * Computes the blocks of a Dask array, or the partitions of one column of a Dask dataframe, and returns them as remote arrays. They stay
   * on the workers that have them; a column of dask-cudf stays on the GPU, by the CUDA Array Interface.
   * @throws PythonError (TypeError) for another object, (IpcError) for elements that TypeScript cannot read
   */
  fromDask(collection: PyObject): Promise<ChunkedArray> {
    return chunksFromDask(this.#results.connection, collection, number => this.#remote<NDArray>(number));
  }

  /**
   * Makes a Dask array of remote blocks in row-major order, which stay on their workers. A block of another shape or dtype fails when it is
   * used.
   * @throws PythonError (ValueError) if the number of blocks does not match the chunks
   * @example const x = cluster.toDask(scaled, { chunks: [[500, 500], [1000]], dtype: 'float64' });
   */
  toDask(blocks: readonly Remote<NDArray>[], options: ToDaskOptions): PyObject {
    return chunksToDask(this.#results.connection, blocks, options);
  }

  /**
   * Starts a trace of the device work of all tasks, on each worker that is there now, beside the tasks that run. A worker that joins later, or
   * whose Node starts again, is not recorded.
   * @example await using recording = await cluster.trace();
   */
  async trace(options: ClusterTraceOptions = {}): Promise<ClusterTrace> {
    const names = new Map(
      (await this.facts()).workers.map(({ address, name }) => [address, `worker ${name}`])
    );
    const nameOf = (address: string): string => names.get(address) ?? address;
    return ClusterTrace.start(this.#module, this.#results.connection, nameOf, options);
  }

  /** Closes the connection, and the cluster if `connect` started it. A second call does nothing. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#results.closed = true;
    await python.callAsync(this.#results.connection.close);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #task<Arguments extends readonly unknown[], Value>(
    source: FunctionSource,
    options: TaskOptions
  ): TaskFunction<Arguments, Value> {
    const call = (...values: unknown[]): Remote<Value> => {
      const places = values.flatMap((value, index) => (value instanceof Remote ? [index, value.number] : []));
      const converted = values.map(value => (value instanceof Remote ? undefined : this.#toTask(value)));
      const { connection } = this.#results;
      const number = connection.submit(this.#function(source), converted, places, daskOptions(options));
      return this.#remote<Value>(number, source.source);
    };
    Object.defineProperty(call, 'name', { value: source.name });
    const withOptions = (more: TaskOptions): TaskFunction<Arguments, Value> =>
      this.#task(source, { ...options, ...more });
    const task = Object.assign(call, { with: withOptions, source: source.source });
    sources.set(task, { source, options });
    return task as TaskFunction<Arguments, Value>;
  }

  #function({ digest, name, source }: FunctionSource): PyObject {
    return this.#module.Function(digest, name, source);
  }

  #remote<Value>(number: number, source?: string): Remote<Value> {
    const remote = new Remote<Value>(this.#results, number, source);
    const signal = notebookHost()?.cellSignal?.();
    if (signal !== undefined) this.#noteOfCell(signal, remote);
    return remote;
  }

  /** Cancels the tasks of a cell when it is interrupted. */
  #noteOfCell(signal: AbortSignal, remote: Remote<unknown>): void {
    const known = this.#ofCells.get(signal);
    if (known !== undefined) {
      known.push(new WeakRef(remote));
      return;
    }
    const references = [new WeakRef(remote)];
    this.#ofCells.set(signal, references);
    signal.addEventListener(
      'abort',
      () => {
        const running = references.flatMap(reference => reference.deref() ?? []).filter(each => !each.freed);
        // Nothing waits for the answer: a scheduler that is gone cannot be asked.
        if (running.length > 0 && !this.#closed) this.cancel(running).catch(() => undefined);
      },
      { once: true }
    );
  }

  /** Converts a column of arguments: numbers of futures if all of them are remote values. */
  #column(values: readonly unknown[]): unknown {
    if (values.every(value => value instanceof Remote))
      return { numbers: values.map(({ number }) => number) };
    return values.map(value => this.#toTask(value));
  }

  /** Converts a value for a task: remote values become futures, and arrays become arrays that Dask can send. */
  #toTask(value: unknown): unknown {
    return mapObjects(value, object => {
      if (object instanceof Remote) return object.future;
      if (object instanceof Uint8Array) return python.bytes(object);
      if (object instanceof NDArray) return this.#module.wrap(python.array(object as NDArray));
      return object;
    });
  }
}
