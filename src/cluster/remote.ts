/** Values on a cluster: results of tasks, scattered values, and futures of Python. */

import { FreedError } from '../base/errors.ts';
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
  keyOf(number: number): string;
  statusOf(number: number): RemoteStatus;
  futureOf(number: number): PyObject;
  /** Releases the value when JavaScript collects `remote`. */
  follow(remote: Remote<unknown>, number: number): void;
  release(number: number, remote: Remote<unknown>): void;
}

/**
 * A value on a cluster. `await` fetches it, each time. The cluster keeps the value while this object, or a task that needs it, exists.
 */
export class Remote<Value> implements PromiseLike<Value> {
  readonly #home: RemoteHome;
  #number: number;
  /** The source of the function; undefined for values that no function of this client made. */
  readonly source: string | undefined;
  #cancelled = false;

  /** For the cluster's use. `number` is that of the future. */
  constructor(home: RemoteHome, number: number, source?: string) {
    this.#home = home;
    this.#number = number;
    this.source = source;
    home.follow(this, number);
  }

  /** Whether the value was released. */
  get freed(): boolean {
    return this.#number === 0;
  }

  /** The number of the future, for the cluster's use. @throws FreedError */
  get number(): number {
    if (this.#number === 0) throw new FreedError('this remote value was freed');
    return this.#number;
  }

  /** The `distributed.Future`, for Python. */
  get future(): PyObject {
    return this.#home.futureOf(this.number);
  }

  /** Dask's key. */
  get key(): string {
    return this.#home.keyOf(this.number);
  }

  get status(): RemoteStatus {
    return this.#home.statusOf(this.number);
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

  /** Releases the value: the cluster may forget it. Later use throws FreedError; a second call does nothing. */
  [Symbol.dispose](): void {
    if (this.#number === 0) return;
    this.#home.release(this.#number, this);
    this.#number = 0;
  }
}
