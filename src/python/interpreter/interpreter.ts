/** CPython, in this or another process: converts values, calls both ways, and turns exceptions into errors. */

import { isPromise } from 'node:util/types';

import { ArgumentError } from '../../base/errors.ts';
import type {
  CallableFromPython,
  FromPython,
  PythonCalls,
  NativePythonHandle,
  ToPython
} from '../../native/python-binding.ts';
import { NDArray } from '../../array/array.ts';
import { drainReleases } from '../../memory/manager/out-of-memory.ts';
import type { ArrayBridge } from './array-bridge.ts';
import { Asynchronous } from './asynchronous.ts';
import type { PythonInstallation } from './discover.ts';
import { PythonError, PythonUnavailableError } from './errors.ts';
import { CallablesOfTurn, KeywordNames, type AnyFunction } from './call-caches.ts';
import { pythonClassesOf } from './exception-classes.ts';
import { PythonModule } from './helpers.ts';
import type { PythonHost } from './host.ts';
import { handleIn, handleOf, interpreterOf, Keywords, pyObject } from './object.ts';
import { attachToNotebook } from './attachment.ts';

type BridgeFunction =
  | 'describe'
  | 'javascript_error'
  | 'redirect'
  | 'undirect'
  | 'compare'
  | 'makes_coroutine'
  | 'is_coroutine'
  | 'shut_down';

/** The JavaScript functions behind callables that were passed to Python; they return unchanged. */
const given = new WeakMap<CallableFromPython, (...values: unknown[]) => unknown>();

/** Recognises arrays of this library that Python held. */
function isArray(value: object): value is NDArray {
  return value instanceof NDArray;
}

/** Returns true for a value that Python receives as a copy, or a masked array, for which a temporary object is made. */
function isContainer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value) || value instanceof Map || value instanceof Set || isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/** Returns true for a scalar or text, which Python receives as it is. */
function isPlain(value: unknown): value is undefined | null | boolean | number | bigint | string {
  const type = typeof value;
  return value === null || (type !== 'object' && type !== 'function' && type !== 'symbol');
}

export class Interpreter {
  readonly native: PythonCalls;
  readonly installation: PythonInstallation;
  readonly arrays: ArrayBridge;
  readonly host: PythonHost;
  readonly asynchronous: Asynchronous;
  readonly builtins: PythonModule<'repr' | 'str' | 'float' | 'dir' | 'eval'>;
  readonly #bridge: PythonModule<BridgeFunction>;
  readonly #functions = new WeakMap<(...values: unknown[]) => unknown, CallableFromPython>();
  readonly #callables = new CallablesOfTurn();
  readonly #keywordNames: KeywordNames;

  /** Starts `installation` on `host`. @throws PythonUnavailableError */
  constructor(installation: PythonInstallation, host: PythonHost) {
    this.host = host;
    this.native = host.native;
    this.arrays = host.arrays;
    this.#keywordNames = new KeywordNames(this.native);
    this.asynchronous = new Asynchronous(this);
    this.installation = installation;
    this.builtins = PythonModule.imported(this.native, 'builtins');
    this.#bridge = PythonModule.companion(this.native, 'bridge');
    host.start(installation, exception => this.errorOf(exception));
    // Loaded first, because it describes the errors of later steps.
    this.#bridge.get('describe');
    attachToNotebook(this);
    // Another process prints and exits by itself.
    if (host.process !== null) return;
    const write = (stream: 'stdout' | 'stderr') => (text: unknown) =>
      void process[stream].write(String(text));
    this.#bridge.call('redirect', this.toPython(write('stdout')), this.toPython(write('stderr')));
    process.once('exit', () => this.#shutDown());
  }

  /**
   * Converts a value for Python: scalars and text by value; arrays as list, plain objects and maps as dict, sets as set,
   * functions as callables; Python objects as themselves. @throws ArgumentError for a value without a counterpart
   */
  toPython(value: unknown): ToPython {
    switch (typeof value) {
      case 'object':
        return value === null ? undefined : (handleIn(this, value) ?? this.#container(value));
      case 'function':
        return (
          this.#callables.known(value as AnyFunction) ??
          handleIn(this, value) ??
          this.#function(value as (...values: unknown[]) => unknown)
        );
      case 'symbol':
        throw new ArgumentError(`a symbol has no counterpart in Python: ${String(value)}`);
      default:
        return value as ToPython;
    }
  }

  fromPython(value: FromPython): unknown {
    if (typeof value === 'object') return isArray(value) ? value : pyObject(this, value);
    return typeof value === 'function' ? (given.get(value) ?? value) : value;
  }

  call(callable: NativePythonHandle, values: readonly unknown[]): unknown {
    try {
      return this.#call(callable, values);
    } finally {
      drainReleases();
    }
  }

  /** Runs a step of the user's program in Python, then frees the memory that Python released meanwhile. */
  step<Result>(action: (native: PythonCalls) => Result): Result {
    try {
      return action(this.native);
    } finally {
      drainReleases();
    }
  }

  #call(callable: NativePythonHandle, values: readonly unknown[]): unknown {
    const { length } = values;
    const { native } = this;
    // Avoids an array for the most common arguments.
    if (length === 0) return this.fromPython(native.call(callable));
    if (length === 1 && isPlain(values[0])) return this.fromPython(native.call(callable, values[0]));
    const last = values[length - 1];
    if (last instanceof Keywords) return this.#callKeywords(callable, values, last.values);
    if (length === 2 && isPlain(values[0]) && isPlain(last))
      return this.fromPython(native.call(callable, values[0], last));
    if (length === 3 && isPlain(values[0]) && isPlain(values[1]) && isPlain(last))
      return this.fromPython(native.call(callable, values[0], values[1], last));
    return this.#holding(values, converted => this.fromPython(native.call(callable, ...converted)));
  }

  #callKeywords(
    callable: NativePythonHandle,
    values: readonly unknown[],
    keywords: Readonly<Record<string, unknown>>
  ): unknown {
    const names = Object.keys(keywords);
    const all = values.slice(0, -1);
    for (const name of names) all.push(keywords[name]);
    const tuple = this.#keywordNames.tupleOf(names);
    return this.#holding(all, converted =>
      this.fromPython(this.native.callKeywords(callable, tuple, ...converted))
    );
  }

  /** Calls on another thread without blocking JavaScript. Awaits a coroutine. */
  async callAsync(callable: NativePythonHandle, values: readonly unknown[]): Promise<unknown> {
    if (values.at(-1) instanceof Keywords) {
      const partial = this.native.getAttribute(this.native.import('functools'), 'partial');
      const bound = this.#call(partial as NativePythonHandle, [pyObject(this, callable), ...values]);
      const handle = handleOf(bound) as NativePythonHandle;
      try {
        return await this.callAsync(handle, []);
      } finally {
        this.native.release(handle);
      }
    }
    const makesCoroutine = this.#bridge.call('makes_coroutine', callable) === true;
    const converted = values.map(value => this.toPython(value));
    try {
      if (makesCoroutine)
        return await this.asynchronous.promise(
          this.native.call(callable, ...converted) as NativePythonHandle
        );
      const [raised, outcome] = await this.native.callAsync(callable, ...converted);
      if (raised) throw this.errorOf(outcome as NativePythonHandle);
      return this.#isCoroutine(outcome) ? await this.asynchronous.promise(outcome) : this.fromPython(outcome);
    } finally {
      this.#releaseMade(values, converted);
    }
  }

  #isCoroutine(value: FromPython): value is NativePythonHandle {
    if (typeof value !== 'object' || isArray(value)) return false;
    return this.#bridge.call('is_coroutine', value) === true;
  }

  *iterate(object: NativePythonHandle): Generator<unknown> {
    const iterator = this.native.iterate(object);
    for (;;) {
      const value = this.native.next(iterator);
      if (value === null) return;
      yield this.fromPython(value);
    }
  }

  dict(entries: readonly (readonly [unknown, unknown])[]): NativePythonHandle {
    const keys = (): ToPython[] => entries.map(([key]) => this.toPython(key));
    const values = entries.map(([, value]) => value);
    return this.#holding(values, converted => this.native.makeDict(keys(), converted));
  }

  list(items: readonly unknown[]): NativePythonHandle {
    return this.#holding(items, converted => this.native.makeList(converted));
  }

  tuple(items: readonly unknown[]): NativePythonHandle {
    return this.#holding(items, converted => this.native.makeTuple(converted));
  }

  /**
   * Converts values for `use`, and then releases the objects that were made for it: a list would otherwise keep its arrays until JavaScript
   * collects garbage.
   */
  #holding<Result>(values: readonly unknown[], use: (converted: readonly ToPython[]) => Result): Result {
    const converted: ToPython[] = [];
    let plain = true;
    for (const value of values) {
      const same = isPlain(value);
      plain &&= same;
      converted.push(same ? value : this.toPython(value));
    }
    if (plain) return use(converted);
    try {
      return use(converted);
    } finally {
      this.#releaseMade(values, converted);
    }
  }

  /** Releases the objects that were made for the containers among `values`. */
  #releaseMade(values: readonly unknown[], converted: readonly ToPython[]): void {
    for (const [index, object] of converted.entries()) {
      const value = values[index];
      if (typeof object !== 'object' || object === null || object === value) continue;
      if (isContainer(value)) this.native.release(object);
    }
  }

  text(object: NativePythonHandle): string {
    return this.builtins.call('str', object) as string;
  }

  repr(object: NativePythonHandle): string {
    return this.builtins.call('repr', object) as string;
  }

  number(object: NativePythonHandle): number {
    return Number(this.builtins.call('float', object));
  }

  attributes(object: NativePythonHandle): string[] {
    const names = this.builtins.call('dir', object) as NativePythonHandle;
    return [...this.iterate(names)].map(String);
  }

  isSame(left: unknown, right: unknown): boolean {
    return this.#bridge.call('compare', this.toPython(left), this.toPython(right)) === true;
  }

  /**
   * Copies a value: a dict becomes a plain object if all keys are text, otherwise a map; lists and tuples
   * become arrays, sets and bytes become Set and Uint8Array.
   */
  toJS(value: unknown): unknown {
    const handle = handleOf(value);
    return handle === undefined ? value : this.host.copy(handle, item => this.fromPython(item));
  }

  #container(value: object): ToPython {
    if (isArray(value)) return this.arrays.toPython(value);
    if (Array.isArray(value)) return this.list(value as unknown[]);
    if (value instanceof Map) return this.dict([...(value as Map<unknown, unknown>)]);
    if (value instanceof Set) return this.#holding([...value], items => this.native.makeSet(items));
    if (isPromise(value)) return this.asynchronous.future(value);
    if (value instanceof PythonError) return this.toPython(value.exception);
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.dict(Object.entries(value));
    const advice = ArrayBuffer.isView(value) ? '; python.bytes(it) makes a copy' : '';
    const name = (value as { constructor?: { name?: string } }).constructor?.name ?? 'object';
    throw new ArgumentError(`a value of class ${name} has no counterpart in Python${advice}`);
  }

  #function(function_: (...values: unknown[]) => unknown): NativePythonHandle {
    let callable = this.#functions.get(function_);
    if (callable === undefined) {
      callable = (names, ...values) => this.#called(function_, values, names);
      this.#functions.set(function_, callable);
      given.set(callable, function_);
    }
    const made = this.native.makeFunction(callable, function_.name === '' ? 'javascript' : function_.name);
    this.#callables.add(function_, made);
    return made;
  }

  /** Runs a function that Python called. Keywords are passed as one plain object, the last argument. */
  #called(
    function_: (...values: unknown[]) => unknown,
    values: readonly FromPython[],
    names: readonly string[] | undefined
  ): ToPython {
    try {
      const converted: unknown[] = [];
      for (const value of values) converted.push(this.fromPython(value));
      if (names !== undefined) {
        const keywords = converted.splice(converted.length - names.length);
        converted.push(Object.fromEntries(names.map((name, index) => [name, keywords[index]])));
      }
      return this.toPython(function_(...converted));
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- by the contract of PythonCalls
      throw this.exceptionOf(error);
    }
  }

  /** Returns the Python exception for an error: the original one if it came from Python. */
  exceptionOf(error: unknown): NativePythonHandle {
    if (error instanceof PythonError && interpreterOf(error.exception) === this)
      return handleOf(error.exception) as NativePythonHandle;
    const [message, stack] =
      error instanceof Error ? [`${error.name}: ${error.message}`, error.stack ?? ''] : [String(error), ''];
    const giveBack = this.#function(() => error);
    const classes = pythonClassesOf(error);
    return this.#bridge.call('javascript_error', message, stack, giveBack, classes) as NativePythonHandle;
  }

  /** Returns the error for an exception: the original one if it came from JavaScript. */
  errorOf(exception: NativePythonHandle): Error {
    if (!this.#bridge.loaded) return new PythonUnavailableError(this.repr(exception));
    const description = this.#bridge.call('describe', exception) as NativePythonHandle;
    const [type, message, traceback, giveBack] = [...this.iterate(description)];
    const own = typeof giveBack === 'function' ? (giveBack as () => unknown)() : undefined;
    if (own instanceof Error) return own;
    const told = { type: String(type), message: String(message), traceback: String(traceback) };
    return new PythonError({ ...told, interpreter: this.installation }, pyObject(this, exception));
  }

  /** Shuts down, callbacks first: Python waits for its threads, which may wait for JavaScript. */
  #shutDown(): void {
    this.#bridge.call('undirect');
    this.native.closeCallbacks();
    this.asynchronous.shutDown();
    this.#bridge.call('shut_down');
  }
}
