/**
 * Bindings of the addon for CPython in this process; see `binding.ts`. Numbers, text, bool and None cross by
 * value, other objects as opaque handles. A Python exception is thrown as the error that `raise` made of it;
 * a wrong argument throws kind `argument`, a released handle kind `freed`. Only `start` works before `start`.
 */

declare const pythonHandle: unique symbol;

/** One reference to a Python object. */
export interface NativePythonHandle {
  readonly [pythonHandle]: true;
}

/**
 * A value from Python: None is undefined, an int beyond 2 ** 53 a bigint. A JavaScript function or array that
 * Python held returns as itself, not as a handle: check arrays with `instanceof NDArray`.
 */
export type FromPython =
  undefined | boolean | number | bigint | string | CallableFromPython | NativePythonHandle;

/** A value for Python; null also becomes None. */
export type ToPython = undefined | null | boolean | number | bigint | string | NativePythonHandle;

/**
 * A function that Python calls with positional values, then those of the keywords `names`, undefined without any. Throws the handle of an
 * exception.
 */
export type CallableFromPython = (names: string[] | undefined, ...values: FromPython[]) => ToPython;

/** Python once it runs, in this process or another. */
export interface PythonCalls {
  /** Runs statements; `file` is the name in tracebacks, `globals` a dict. */
  execute(source: string, file: string, globals: NativePythonHandle): void;
  /** Returns the dict of the module of that name; creates the module if needed. */
  module(name: string): NativePythonHandle;
  import(name: string): NativePythonHandle;
  /** Returns null if there is no such attribute. */
  getAttribute(object: NativePythonHandle, name: string): FromPython | null;
  /** Sets an attribute; deletes it if no value is given. */
  setAttribute(object: NativePythonHandle, name: string, value?: ToPython): void;
  getItem(object: NativePythonHandle, key: ToPython): FromPython;
  /** Sets an item; deletes it if no value is given. */
  setItem(object: NativePythonHandle, key: ToPython, value?: ToPython): void;
  call(callable: NativePythonHandle, ...values: ToPython[]): FromPython;
  /** Calls with positional values, then those of the keywords in the tuple `names`. */
  callKeywords(callable: NativePythonHandle, names: NativePythonHandle, ...values: ToPython[]): FromPython;
  /** Calls on another thread. Resolves with whether it raised, and the exception or the value. */
  callAsync(
    callable: NativePythonHandle,
    ...values: ToPython[]
  ): Promise<[raised: boolean, outcome: FromPython]>;
  iterate(object: NativePythonHandle): NativePythonHandle;
  /** Returns the next item; null at the end. */
  next(iterator: NativePythonHandle): FromPython | null;
  truth(object: NativePythonHandle): boolean;
  isCallable(object: NativePythonHandle): boolean;
  makeInt(value: number | bigint): NativePythonHandle;
  makeFloat(value: number): NativePythonHandle;
  makeObject(value: ToPython): NativePythonHandle;
  /** Makes a bytes object with a copy of the bytes. */
  makeBytes(bytes: ArrayBufferView): NativePythonHandle;
  makeList(items: readonly ToPython[]): NativePythonHandle;
  makeTuple(items: readonly ToPython[]): NativePythonHandle;
  makeSet(items: readonly ToPython[]): NativePythonHandle;
  makeDict(keys: readonly ToPython[], values: readonly ToPython[]): NativePythonHandle;
  makeSlice(start: ToPython, stop: ToPython, step: ToPython): NativePythonHandle;
  /**
   * Makes a callable that runs on this thread, either immediately or in a turn of its event loop that the
   * calling thread waits for. With `onlyTold`, the calling thread does not wait and continues with None.
   */
  makeFunction(function_: CallableFromPython, name: string, onlyTold?: boolean): NativePythonHandle;
  bytesOf(bytes: NativePythonHandle): Uint8Array<ArrayBuffer>;
  release(object: NativePythonHandle): void;
  /** Makes functions of this environment raise RuntimeError from now on, also in threads that wait for one. */
  closeCallbacks(): void;
  /** Counts the handles of the process that hold an object. */
  countHandles(): number;
}

export interface NativePython extends PythonCalls {
  /**
   * Opens `library` and starts the interpreter as if called with `arguments`, the first of which is the interpreter's path, from
   * which it finds its environment. Returns the version. Throws kind `unavailable` if it cannot start; the process continues
   * without it. Each environment calls it; the interpreter starts once.
   */
  start(
    library: string,
    arguments_: readonly string[],
    raise: (exception: NativePythonHandle) => Error
  ): string;
}
