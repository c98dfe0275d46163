/**
 * The part of the addon that holds CPython in this process; beside `binding.ts`. Numbers, text, bool and None cross by value, all
 * else as handles, by which nobody else can reach the object. What Python raises is thrown as what `raise` made of it; a wrong
 * argument is kind `argument`, a handle that was let go of kind `freed`. Nothing but `start` works before `start`.
 */

declare const pythonHandle: unique symbol;

/** One reference to a Python object. */
export interface NativePythonHandle {
  readonly [pythonHandle]: true;
}

/**
 * What comes from Python: None is undefined, an int beyond 2 ** 53 a bigint. A function is one of JavaScript's that Python had. What
 * Python had of an array is an array again, no handle: `instanceof NDArray` tells.
 */
export type FromPython =
  undefined | boolean | number | bigint | string | CallableFromPython | NativePythonHandle;

/** What goes to Python by value; null is None as well. */
export type ToPython = undefined | null | boolean | number | bigint | string | NativePythonHandle;

/** Called with positional values, then those of the keywords `names`. Throws the handle of an exception. */
export type CallableFromPython = (values: FromPython[], names: string[] | undefined) => ToPython;

export interface NativePython {
  /**
   * Opens `library` and starts the interpreter as if called by `arguments`, of which the first is the interpreter's own path: its
   * environment is found by it. Gives the version. Kind `unavailable` where it cannot start; the process goes on without it. Each
   * environment calls it for itself; the interpreter starts once.
   */
  start(
    library: string,
    arguments_: readonly string[],
    raise: (exception: NativePythonHandle) => Error
  ): string;
  /** Runs statements; `file` is for tracebacks, `globals` a dict. */
  execute(source: string, file: string, globals: NativePythonHandle): void;
  /** The dict of the module of that name, which is made where there is none. */
  module(name: string): NativePythonHandle;
  import(name: string): NativePythonHandle;
  /** Null where there is no such attribute. */
  getAttribute(object: NativePythonHandle, name: string): FromPython | null;
  /** Deletes the attribute where no value is given. */
  setAttribute(object: NativePythonHandle, name: string, value?: ToPython): void;
  getItem(object: NativePythonHandle, key: ToPython): FromPython;
  /** Deletes the item where no value is given. */
  setItem(object: NativePythonHandle, key: ToPython, value?: ToPython): void;
  call(callable: NativePythonHandle, ...values: ToPython[]): FromPython;
  callKeywords(
    callable: NativePythonHandle,
    values: readonly ToPython[],
    keywords: NativePythonHandle
  ): FromPython;
  /** Calls on another thread. Resolves with whether it raised, and the exception or the value. */
  callAsync(
    callable: NativePythonHandle,
    ...values: ToPython[]
  ): Promise<[raised: boolean, outcome: FromPython]>;
  iterate(object: NativePythonHandle): NativePythonHandle;
  /** Null at the end. */
  next(iterator: NativePythonHandle): FromPython | null;
  truth(object: NativePythonHandle): boolean;
  isCallable(object: NativePythonHandle): boolean;
  makeInt(value: number | bigint): NativePythonHandle;
  makeFloat(value: number): NativePythonHandle;
  makeObject(value: ToPython): NativePythonHandle;
  /** A copy of the bytes. */
  makeBytes(bytes: ArrayBufferView): NativePythonHandle;
  makeList(items: readonly ToPython[]): NativePythonHandle;
  makeTuple(items: readonly ToPython[]): NativePythonHandle;
  makeSet(items: readonly ToPython[]): NativePythonHandle;
  makeDict(keys: readonly ToPython[], values: readonly ToPython[]): NativePythonHandle;
  makeSlice(start: ToPython, stop: ToPython, step: ToPython): NativePythonHandle;
  /**
   * Called on this thread, at once or in a turn of its event loop that the calling thread waits for; where it is `onlyTold`, that
   * thread goes on with None.
   */
  makeFunction(function_: CallableFromPython, name: string, onlyTold?: boolean): NativePythonHandle;
  /** A copy of a bytes object. */
  bytesOf(bytes: NativePythonHandle): Uint8Array<ArrayBuffer>;
  /** Lets the object go now. */
  release(object: NativePythonHandle): void;
  /** Functions of this environment raise RuntimeError from now on; threads that wait for one go on with that. */
  closeCallbacks(): void;
  /** Handles of the process that hold an object. */
  countHandles(): number;
}
