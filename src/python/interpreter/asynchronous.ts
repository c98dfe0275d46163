/** Converts Python awaitables to promises and promises to futures, with asyncio on a separate thread. */

import type { CallableFromPython, FromPython, NativePythonHandle } from '../../native/python-binding.ts';
import { notebookHost } from '../../notebook/host.ts';
import { PythonModule } from './helpers.ts';
import type { Interpreter } from './interpreter.ts';

/** Options of `python.promise`. */
export interface PromiseOptions {
  /** Cancels the awaitable; the promise rejects with the signal's reason once Python has cancelled it. */
  readonly signal?: AbortSignal | undefined;
}

/** The period of a timer that only keeps the program alive, in ms. */
const LONG_MS = 2 ** 30;

type Settle = (outcome: readonly [raised: boolean, value: FromPython]) => void;

export class Asynchronous {
  readonly #python: Interpreter;
  readonly #waiting = new Map<number, Settle>();
  /** Loaded at its first use, because importing asyncio is slow. */
  readonly #bridge: PythonModule<
    | 'connect'
    | 'submit'
    | 'cancel'
    | 'advance'
    | 'close'
    | 'JavaScriptPromise'
    | 'fulfil'
    | 'reject'
    | 'shut_down'
  >;
  #connected = false;
  #count = 0;
  #alive: NodeJS.Timeout | undefined;

  constructor(python: Interpreter) {
    this.#python = python;
    this.#bridge = PythonModule.companion(python.native, 'asyncio_bridge');
  }

  /** Resolves with the result of a coroutine, future, task or other awaitable. @throws PythonError */
  async promise(awaitable: NativePythonHandle, options: PromiseOptions = {}): Promise<unknown> {
    // An interrupt of the waiting cell cancels it too.
    const signals = [options.signal, notebookHost()?.cellSignal?.()].filter(one => one !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    const [raised, outcome] = await this.#outcome(awaitable, signal);
    if (!raised) return this.#python.fromPython(outcome);
    const error = this.#python.errorOf(outcome as NativePythonHandle);
    const cancelled = 'type' in error && error.type === 'asyncio.exceptions.CancelledError';
    throw cancelled && signal?.aborted === true ? signal.reason : error;
  }

  /** Iterates over an asynchronous iterable. Leaving the loop early closes the iterator. */
  async *iterate(iterable: NativePythonHandle): AsyncGenerator<unknown, void, undefined> {
    const { native } = this.#python;
    const iterators = native.makeList([]);
    let ended = false;
    try {
      for (;;) {
        const step = this.#bridge.call('advance', iterable, iterators) as NativePythonHandle;
        const [raised, outcome] = await this.#outcome(step, undefined);
        // An iterator that raised has ended.
        if (raised) ended = true;
        if (raised) throw this.#python.errorOf(outcome as NativePythonHandle);
        ended = native.getItem(outcome as NativePythonHandle, 0) === false;
        if (ended) return;
        yield this.#python.fromPython(native.getItem(outcome as NativePythonHandle, 1));
      }
    } finally {
      if (!ended) await this.promise(this.#bridge.call('close', iterators) as NativePythonHandle);
    }
  }

  /** Makes a Python future that `promise` settles; coroutines await it, other threads wait for it. */
  future(promise: Promise<unknown>): NativePythonHandle {
    const python = this.#python;
    const bridge = this.#bridge;
    const future = bridge.call('JavaScriptPromise') as NativePythonHandle;
    const fail = (error: unknown): void => void bridge.call('reject', future, python.exceptionOf(error));
    promise.then(value => {
      try {
        bridge.call('fulfil', future, python.toPython(value));
      } catch (error) {
        fail(error);
      }
    }, fail);
    return future;
  }

  /** Cancels all running awaitables; no JavaScript is called after this. */
  shutDown(): void {
    if (this.#bridge.loaded) this.#bridge.call('shut_down');
  }

  async #outcome(
    awaitable: NativePythonHandle,
    signal: AbortSignal | undefined
  ): Promise<readonly [raised: boolean, value: FromPython]> {
    signal?.throwIfAborted();
    if (!this.#connected) this.#connect();
    const number = (this.#count += 1);
    this.#bridge.call('submit', awaitable, number);
    const abort = (): void => void this.#bridge.call('cancel', number);
    signal?.addEventListener('abort', abort, { once: true });
    this.#alive ??= setInterval(() => undefined, LONG_MS);
    try {
      return await new Promise(settle => this.#waiting.set(number, settle));
    } finally {
      signal?.removeEventListener('abort', abort);
      this.#waiting.delete(number);
      if (this.#waiting.size === 0) {
        clearInterval(this.#alive);
        this.#alive = undefined;
      }
    }
  }

  /** Gives Python the function that settles the promises of awaitables. */
  #connect(): void {
    const tell: CallableFromPython = (_names, number, raised, value): undefined => {
      this.#waiting.get(number as number)?.([raised as boolean, value]);
    };
    this.#bridge.call('connect', this.#python.native.makeFunction(tell, 'tell', true));
    this.#connected = true;
  }
}
