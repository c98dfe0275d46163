/** Values on a cluster: results of tasks, scattered values, and futures of Python. */

import type { PyObject } from '../python/interpreter/object.ts';

/** A value or the remote value of it, also inside arrays. */
export type Lazy<Value> =
  Value | Remote<Value> | (Value extends readonly (infer Item)[] ? readonly Lazy<Item>[] : never);

/** Dask's status of a future. `lost`: the data was on a worker that ended; it is computed again if a task made it. */
export type RemoteStatus = 'pending' | 'finished' | 'error' | 'cancelled' | 'lost';

/** What a remote value needs of its cluster. */
export interface RemoteHome {
  /** Fetches the value. Rejects with the error of the task. */
  fetch(remote: Remote<unknown>): Promise<unknown>;
  /** Resolves when the task has ended, with or without an error. */
  ended(remote: Remote<unknown>): Promise<void>;
  cancel(remotes: readonly Remote<unknown>[]): Promise<void>;
  /** Returns the addresses of the workers that have the value. */
  whereIs(remote: Remote<unknown>): Promise<string[]>;
}

/**
 * A value on a cluster. `await` fetches it; `get` and `then` fetch it each time. The cluster keeps the value while this object, or a task
 * that needs it, exists.
 */
export class Remote<Value> implements PromiseLike<Value> {
  readonly #home: RemoteHome;
  /** The `distributed.Future`, for Python. */
  readonly future: PyObject;
  /** The source of the function; undefined for values that no function of this client made. */
  readonly source: string | undefined;
  #cancelled = false;

  /** For the cluster's use. */
  constructor(home: RemoteHome, future: PyObject, source?: string) {
    this.#home = home;
    this.future = future;
    this.source = source;
  }

  /** Dask's key. */
  get key(): string {
    return String(this.future['key']);
  }

  get status(): RemoteStatus {
    return String(this.future['status']) as RemoteStatus;
  }

  /** Whether this client cancelled the task. */
  get cancelled(): boolean {
    return this.#cancelled;
  }

  /** Returns the addresses of the workers that have the value; none before it is computed. */
  where(): Promise<string[]> {
    return this.#home.whereIs(this);
  }

  /**
   * Fetches the value: arrays become arrays of this process. Rejects with TypeScriptError, NodeLostError, KilledWorkerError,
   * TaskCancelledError, PeerLostError for lost data, or PythonError for a task in Python.
   */
  get(): Promise<Value> {
    return this.#home.fetch(this) as Promise<Value>;
  }

  /** Resolves when the task has ended, with or without an error, without fetching the value. */
  ended(): Promise<void> {
    return this.#home.ended(this);
  }

  /** Cancels the task for all who wait for it. Its function can see this by `currentTask().signal`. */
  async cancel(): Promise<void> {
    this.noteCancelled();
    await this.#home.cancel([this]);
  }

  /** Notes that this client cancelled the task. For the cluster's use. */
  noteCancelled(): void {
    this.#cancelled = true;
  }

  then<Fulfilled = Value, Rejected = never>(
    onFulfilled?: ((value: Value) => Fulfilled | PromiseLike<Fulfilled>) | null,
    onRejected?: ((reason: unknown) => Rejected | PromiseLike<Rejected>) | null
  ): Promise<Fulfilled | Rejected> {
    return this.get().then(onFulfilled, onRejected);
  }

  /** Releases the value: the cluster may forget it. Use after this throws FreedError. */
  [Symbol.dispose](): void {
    this.future[Symbol.dispose]();
  }
}
