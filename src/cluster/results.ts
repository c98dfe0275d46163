/** Waits for tasks and fetches their values, in batches. */

import type { NativePythonHandle } from '../native/python-binding.ts';
import { collectGarbage } from '../native/load.ts';
import { PythonError } from '../python/interpreter/errors.ts';
import { handleOf, interpreterOf, type PyObject } from '../python/interpreter/object.ts';
import type { Interpreter } from '../python/interpreter/interpreter.ts';
import { python } from '../python/python.ts';
import { errorOfTask, lostData, type Explanation } from './errors.ts';
import type { ClientModule, Connection } from './python-client.ts';
import type { Remote, RemoteHome, RemoteStatus } from './remote.ts';
import { PythonValues } from './values.ts';

/** The number of unreleased remote values at which JavaScript first collects garbage. Each may keep much memory on a worker. */
const MANY = 1_000;
/** The period of a timer that only keeps the program alive, in ms: promises do not. */
const LONG_MS = 2 ** 30;

type Any = Remote<unknown>;

interface Wanted {
  readonly remote: Any;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class Results implements RemoteHome {
  /** Undefined until it is connected. */
  #connection: Connection | undefined;
  readonly #module: ClientModule;
  readonly #interpreter: Interpreter;
  readonly #values: PythonValues;
  /** Functions to call when a task has ended, by its number. */
  readonly #ending = new Map<number, (() => void)[]>();
  /** Numbers of tasks to watch, from the next turn of the event loop on. */
  readonly #toWatch: number[] = [];
  readonly #toRelease: number[] = [];
  readonly #wanted: Wanted[] = [];
  readonly #released = new FinalizationRegistry<number>(number => this.release(number));
  #alive: NodeJS.Timeout | undefined;
  /** The number of remote values that are not released. */
  #held = 0;
  #tooMany = MANY;
  closed = false;

  constructor(module: ClientModule) {
    this.#module = module;
    this.#interpreter = interpreterOf(module) as Interpreter;
    this.#values = new PythonValues(this.#interpreter);
  }

  get connection(): Connection {
    return this.#connection as Connection;
  }

  set connection(connection: Connection) {
    this.#connection = connection;
  }

  /** Called when watched tasks have ended. */
  readonly changed = (): void => {
    for (const number of python.toJS(this.connection.ended()) as number[]) {
      const waiting = this.#ending.get(number) ?? [];
      this.#ending.delete(number);
      for (const ended of waiting) ended();
    }
    if (this.#ending.size > 0) return;
    clearInterval(this.#alive);
    this.#alive = undefined;
  };

  keyOf(number: number): string {
    return this.connection.key(number);
  }

  statusOf(number: number): RemoteStatus {
    return this.connection.status(number) as RemoteStatus;
  }

  futureOf(number: number): PyObject {
    return this.connection.future(number);
  }

  /** Releases a future when its remote value is collected. V8 does not see what a remote value keeps, so their number starts a collection. */
  follow(remote: Any, number: number): void {
    this.#released.register(remote, number, remote);
    this.#held += 1;
    if (this.#held < this.#tooMany) return;
    this.#tooMany = Infinity;
    setImmediate(() => {
      collectGarbage();
      // The next turn has run the finalizers.
      setImmediate(() => (this.#tooMany = Math.max(MANY, 2 * this.#held)));
    });
  }

  release(number: number, remote?: Any): void {
    if (remote !== undefined) this.#released.unregister(remote);
    this.#held -= 1;
    this.#toRelease.push(number);
    if (this.#toRelease.length > 1) return;
    setImmediate(() => {
      const numbers = this.#toRelease.splice(0);
      if (!this.closed) this.connection.release(numbers);
    }).unref();
  }

  ended({ number }: Any): Promise<void> {
    return new Promise(resolve => {
      const waiting = this.#ending.get(number);
      if (waiting !== undefined) {
        waiting.push(resolve);
        return;
      }
      this.#ending.set(number, [resolve]);
      this.#alive ??= setInterval(() => undefined, LONG_MS);
      this.#toWatch.push(number);
      if (this.#toWatch.length === 1) setImmediate(() => this.connection.watch(this.#toWatch.splice(0)));
    });
  }

  async fetch(remote: Any): Promise<unknown> {
    await this.ended(remote);
    return new Promise((resolve, reject) => {
      this.#wanted.push({ remote, resolve, reject });
      if (this.#wanted.length === 1) setImmediate(() => void this.#collect(this.#wanted.splice(0)));
    });
  }

  /** Fetches values in order, once all tasks have ended. Rejects with the first error. */
  async gather(remotes: readonly Any[]): Promise<unknown[]> {
    const numbers = remotes.map(({ number }) => number);
    const { native } = this.#interpreter;
    let found: NativePythonHandle;
    try {
      found = handleOf(await python.callAsync(this.connection.gather, numbers)) as NativePythonHandle;
    } catch (error) {
      throw this.#explained(error, remotes[0] as Any);
    }
    const index = native.getItem(found, 0);
    const result = native.getItem(found, 1) as NativePythonHandle;
    native.release(found);
    if (typeof index === 'number') throw this.#errorOf(result, remotes[index] as Any);
    return this.#values.take(result) as unknown[];
  }

  /** Returns how many of the tasks have ended. */
  async countEnded(remotes: readonly Any[]): Promise<number> {
    const numbers = remotes.map(({ number }) => number);
    return (await python.callAsync(this.connection.count_ended, numbers)) as number;
  }

  async cancel(remotes: readonly Any[]): Promise<void> {
    for (const remote of remotes) remote.noteCancelled();
    await python.callAsync(
      this.connection.cancel,
      remotes.map(({ number }) => number)
    );
  }

  async whereIs({ number }: Any): Promise<string[]> {
    return python.toJS(await python.callAsync(this.connection.who_has, number)) as string[];
  }

  async #collect(wanted: readonly Wanted[]): Promise<void> {
    const { native } = this.#interpreter;
    try {
      const numbers = wanted.map(({ remote }) => remote.number);
      const found = handleOf(await python.callAsync(this.connection.collect, numbers)) as NativePythonHandle;
      const failed = this.#values.take(native.getItem(found, 0)) as boolean[];
      const values = native.getItem(found, 1) as NativePythonHandle;
      native.release(found);
      for (const [index, { remote, resolve, reject }] of wanted.entries()) {
        const value = native.getItem(values, index);
        try {
          if (failed[index] === true) reject(this.#errorOf(value, remote));
          else resolve(this.#values.take(value));
        } catch (error) {
          reject(error);
        }
      }
      native.release(values);
    } catch (error) {
      for (const { remote, reject } of wanted) reject(this.#explained(error, remote));
    }
  }

  #errorOf(exception: unknown, remote: Any): unknown {
    // Data that is lost has no exception.
    if (exception === undefined || exception === null) return lostData(remote.key);
    return this.#explained(this.#interpreter.errorOf(exception as NativePythonHandle), remote);
  }

  /** Returns the error of this library for an exception that tasks raise, and any other error as it is. */
  #explained(error: unknown, remote: Any): unknown {
    if (!(error instanceof PythonError)) return error;
    const explanation = python.toJS(this.#module.explain(error.exception)) as Explanation | undefined;
    return explanation === undefined ? error : errorOfTask(explanation, remote);
  }
}
