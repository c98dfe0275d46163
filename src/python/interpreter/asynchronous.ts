/** Converts Python awaitables to promises and promises to futures, with asyncio on a separate thread. */

import type { FromPython, NativePythonHandle } from '../../native/python-binding.ts';
import { notebookHost } from '../../notebook/host.ts';
import { loadHelpers } from './helpers.ts';
import type { Interpreter } from './interpreter.ts';

/** Options of `python.promise`. */
export interface PromiseOptions {
  /** Cancels the awaitable; the promise rejects with the signal's reason once Python has cancelled it. */
  readonly signal?: AbortSignal | undefined;
}

const HELPERS = [
  'connect',
  'submit',
  'cancel',
  'advance',
  'close',
  'JavaScriptPromise',
  'fulfil',
  'reject',
  'shut_down'
] as const;
type Helpers = Record<(typeof HELPERS)[number], NativePythonHandle>;

/** The period of a timer that only keeps the program alive, in ms. */
const LONG_MS = 2 ** 30;

type Settle = (outcome: readonly [raised: boolean, value: FromPython]) => void;

export class Asynchronous {
  readonly #python: Interpreter;
  readonly #waiting = new Map<number, Settle>();
  #helpers: Helpers | undefined;
  #count = 0;
  #alive: NodeJS.Timeout | undefined;

  constructor(python: Interpreter) {
    this.#python = python;
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
    const { advance, close } = this.#loaded();
    const iterators = native.makeList([]);
    let ended = false;
    try {
      for (;;) {
        const step = native.call(advance, iterable, iterators) as NativePythonHandle;
        const [raised, outcome] = await this.#outcome(step, undefined);
        // An iterator that raised has ended.
        if (raised) ended = true;
        if (raised) throw this.#python.errorOf(outcome as NativePythonHandle);
        ended = native.getItem(outcome as NativePythonHandle, 0) === false;
        if (ended) return;
        yield this.#python.fromPython(native.getItem(outcome as NativePythonHandle, 1));
      }
    } finally {
      if (!ended) await this.promise(native.call(close, iterators) as NativePythonHandle);
    }
  }

  /** Makes a Python future that `promise` settles; coroutines await it, other threads wait for it. */
  future(promise: Promise<unknown>): NativePythonHandle {
    const python = this.#python;
    const { native } = python;
    const { JavaScriptPromise, fulfil, reject } = this.#loaded();
    const future = native.call(JavaScriptPromise) as NativePythonHandle;
    const fail = (error: unknown): void => void native.call(reject, future, python.exceptionOf(error));
    promise.then(value => {
      try {
        native.call(fulfil, future, python.toPython(value));
      } catch (error) {
        fail(error);
      }
    }, fail);
    return future;
  }

  /** Cancels what still runs; no JavaScript is called after this. */
  shutDown(): void {
    if (this.#helpers !== undefined) this.#python.native.call(this.#helpers.shut_down);
  }

  async #outcome(
    awaitable: NativePythonHandle,
    signal: AbortSignal | undefined
  ): Promise<readonly [raised: boolean, value: FromPython]> {
    signal?.throwIfAborted();
    const { native } = this.#python;
    const { submit, cancel } = this.#loaded();
    const number = (this.#count += 1);
    native.call(submit, awaitable, number);
    const abort = (): void => void native.call(cancel, number);
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

  /** Loads the helpers on first use, because importing asyncio is slow. */
  #loaded(): Helpers {
    if (this.#helpers !== undefined) return this.#helpers;
    const { native } = this.#python;
    const helpers = loadHelpers(native, 'asyncio_bridge', HELPERS);
    const tell = ([number, raised, value]: FromPython[]): undefined => {
      this.#waiting.get(number as number)?.([raised as boolean, value]);
    };
    native.call(helpers.connect, native.makeFunction(tell, 'tell', true));
    this.#helpers = helpers;
    return helpers;
  }
}
