/** Waits for futures and fetches their values, in batches. */

import type { NativePythonHandle } from '../native/python-binding.ts';
import { PythonError } from '../python/interpreter/errors.ts';
import { handleOf, interpreterOf } from '../python/interpreter/object.ts';
import type { Interpreter } from '../python/interpreter/interpreter.ts';
import { python } from '../python/python.ts';
import { errorOfTask, lostData, type Explanation } from './errors.ts';
import type { ClientModule, Connection } from './python-client.ts';
import type { Remote, RemoteHome } from './remote.ts';
import { PythonValues } from './values.ts';

/** The period of a timer that only keeps the program alive, in ms: promises do not. */
const LONG_MS = 2 ** 30;

type Any = Remote<unknown>;

interface Wanted {
  readonly remote: Any;
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

export class Results implements RemoteHome {
  /** The `Connection` of python/stridelab/cluster/client.py; set when it is connected. */
  #connection: Connection | undefined;
  readonly #module: ClientModule;
  readonly #interpreter: Interpreter;
  readonly #values: PythonValues;
  readonly #ending = new Map<number, () => void>();
  #numbers = 0;
  #wanted: Wanted[] = [];
  #alive: NodeJS.Timeout | undefined;

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

  /** Called when watched futures have ended. */
  readonly changed = (): void => {
    for (const [number] of python.toJS(this.connection.ended()) as [number, string][]) {
      const ended = this.#ending.get(number);
      this.#ending.delete(number);
      ended?.();
    }
    if (this.#ending.size > 0) return;
    clearInterval(this.#alive);
    this.#alive = undefined;
  };

  ended(remote: Any): Promise<void> {
    if (remote.status !== 'pending') return Promise.resolve();
    return new Promise(resolve => {
      const number = (this.#numbers += 1);
      this.#ending.set(number, resolve);
      this.#alive ??= setInterval(() => undefined, LONG_MS);
      this.connection.watch(remote.future, number);
    });
  }

  async fetch(remote: Any): Promise<unknown> {
    await this.ended(remote);
    return new Promise((resolve, reject) => {
      this.#wanted.push({ remote, resolve, reject });
      if (this.#wanted.length === 1) setImmediate(() => void this.#collect(this.#wanted.splice(0)));
    });
  }

  async cancel(remotes: readonly Any[]): Promise<void> {
    for (const remote of remotes) remote.noteCancelled();
    await python.callAsync(
      this.connection.cancel,
      remotes.map(({ future }) => future)
    );
  }

  async whereIs(remote: Any): Promise<string[]> {
    const found = python.toJS(await python.callAsync(this.connection.who_has, [remote.future])) as
      Record<string, string[]> | Map<unknown, string[]>;
    return [...(found instanceof Map ? found.values() : Object.values(found))].flat();
  }

  async #collect(wanted: readonly Wanted[]): Promise<void> {
    const { native } = this.#interpreter;
    try {
      const futures = wanted.map(({ remote }) => remote.future);
      const found = handleOf(await python.callAsync(this.connection.collect, futures)) as NativePythonHandle;
      for (const [index, { remote, resolve, reject }] of wanted.entries()) {
        const outcome = native.getItem(found, index) as NativePythonHandle;
        try {
          const value = native.getItem(outcome, 1);
          if (native.getItem(outcome, 0) === true) reject(this.#errorOf(value as NativePythonHandle, remote));
          else resolve(this.#values.take(value));
        } catch (error) {
          reject(error);
        }
        native.release(outcome);
      }
      // They would keep the values until JavaScript collects garbage.
      native.release(found);
    } catch (error) {
      for (const { remote, reject } of wanted) reject(this.#explained(error, remote));
    }
  }

  #errorOf(exception: NativePythonHandle | null | undefined, remote: Any): unknown {
    // A scattered value that is lost has no exception.
    if (exception === undefined || exception === null) return lostData(remote.key);
    return this.#explained(this.#interpreter.errorOf(exception), remote);
  }

  /** Returns the error of this library for an exception that tasks raise, and any other error as it is. */
  #explained(error: unknown, remote: Any): unknown {
    if (!(error instanceof PythonError)) return error;
    const explanation = python.toJS(this.#module.explain(error.exception)) as Explanation | undefined;
    return explanation === undefined ? error : errorOfTask(explanation, remote);
  }
}
