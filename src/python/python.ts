/** `python`: the members by which programs reach an interpreter, wherever that runs. */

import type { NDArray } from '../array/array.ts';
import { ArgumentError } from '../base/errors.ts';
import type { NativePythonHandle } from '../native/python-binding.ts';
import type { MemoryManagerClass } from '../memory/manager/base.ts';
import type { AsArrayOptions } from './interpreter/array-bridge.ts';
import type { PromiseOptions } from './interpreter/asynchronous.ts';
import { pythonCandidates } from './interpreter/candidates.ts';
import { examinePython, type PythonInstallation, type PythonRefusal } from './interpreter/discover.ts';
import { PythonHome, type PythonOptions, type PythonStatus } from './home.ts';
import type { Interpreter } from './interpreter/interpreter.ts';
import { memoryManagerOf } from './memory/python-manager.ts';
import { shareMemoryManager, type MemoryLibrary, type SharedMemoryManager } from './memory/share.ts';
import { handleIn, handleOf, Keywords, pyObject, type PyAny, type PyObject } from './interpreter/object.ts';

/** The members over the interpreter that `home` has or starts. */
function pythonOf(home: PythonHome) {
  const running = (): Interpreter => home.running();
  const required = (value: unknown, what: string): NativePythonHandle => {
    if (handleOf(value) === undefined) throw new ArgumentError(`${what} must be a Python object`);
    return handleIn(running(), value as object) as NativePythonHandle;
  };
  const made = (make: (python: Interpreter) => NativePythonHandle): PyObject => {
    const python = running();
    return pyObject(python, make(python));
  };
  const python = Object.freeze({
    /**
     * Starts Python, as the first use of any other member does, and returns the installation. A running interpreter is not replaced: a
     * request for another one is refused. @throws PythonUnavailableError
     */
    start: (options: PythonOptions = {}): PythonInstallation => home.start(options),

    /** Whether it runs and where. Starts none. */
    get status(): PythonStatus {
      return home.status();
    },

    /**
     * Starts another interpreter in its own process, independent of all others, and returns its members. `using` or `close` ends it.
     * @throws PythonUnavailableError
     */
    open(options: Omit<PythonOptions, 'mode'> = {}): Python {
      const other = new PythonHome({ ...options, mode: 'process' });
      other.running();
      return pythonOf(other);
    },

    /**
     * Ends a Python of another process as its own programs end: threads are waited for, atexit functions run. After ten seconds it is
     * killed. What was open in it throws PythonLostError from then on. @throws ArgumentError for the one in this process
     */
    close: (): void => home.close(),
    [Symbol.dispose]: (): void => home.close(),

    /** The interpreters that `start` would look at, in order, with what keeps each from running here. Starts none. */
    discover: (): (PythonInstallation | PythonRefusal)[] => pythonCandidates().map(examinePython),

    /** A module. @throws PythonError (ModuleNotFoundError) */
    import(name: string): PyObject {
      const python = running();
      return pyObject(python, python.native.import(name));
    },

    /** `builtins`: `python.builtins.len(x)`. */
    get builtins(): PyObject {
      return python.import('builtins');
    },

    /** Runs statements in `__main__`, whose names stay. @throws PythonError */
    run(source: string, file = '<python>'): void {
      running().step(native => native.execute(source, file, native.module('__main__')));
    },

    /** The value of an expression in `__main__`. @throws PythonError */
    evaluate(expression: string): PyAny {
      const python = running();
      const main = python.native.module('__main__');
      const evaluate = python.native.getAttribute(python.native.import('builtins'), 'eval');
      return python.fromPython(
        python.step(native => native.call(evaluate as NativePythonHandle, expression, main))
      );
    },

    /** Keyword arguments, as the last argument of a call. */
    kw: (values: Readonly<Record<string, unknown>>): Keywords => new Keywords(values),

    /** A float, where a whole number of JavaScript would be an int. */
    float: (value: number): PyObject => made(({ native }) => native.makeFloat(value)),
    /** An int as an object. @throws ArgumentError for a fraction */
    int: (value: number | bigint): PyObject => made(({ native }) => native.makeInt(value)),
    /** A str as an object, which has Python's methods. */
    str: (value: string): PyObject => made(({ native }) => native.makeObject(value)),
    list: (items: Iterable<unknown>): PyObject => made(python => python.list([...items])),
    tuple: (items: Iterable<unknown>): PyObject => made(python => python.tuple([...items])),
    dict: (entries: Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown>): PyObject =>
      made(python => python.dict(entries instanceof Map ? [...entries] : Object.entries(entries))),
    set: (items: Iterable<unknown>): PyObject =>
      made(python => python.native.makeSet([...items].map(item => python.toPython(item)))),
    /** bytes, copied. */
    bytes: (bytes: ArrayBufferView): PyObject => made(({ native }) => native.makeBytes(bytes)),
    /** `x[start:stop:step]` as a key; undefined is left out. */
    slice: (start?: unknown, stop?: unknown, step?: unknown): PyObject =>
      made(python =>
        python.native.makeSlice(python.toPython(start), python.toPython(stop), python.toPython(step))
      ),

    /** `object[key]`; several keys are a tuple. @throws PythonError */
    item(object: PyObject, ...keys: unknown[]): PyAny {
      const python = running();
      const key = keys.length === 1 ? python.toPython(keys[0]) : python.tuple(keys);
      return python.fromPython(python.native.getItem(required(object, 'object'), key));
    },
    /** `object[key] = value`. @throws PythonError */
    setItem(object: PyObject, key: unknown, value: unknown): void {
      const python = running();
      python.step(native =>
        native.setItem(required(object, 'object'), python.toPython(key), python.toPython(value))
      );
    },
    /** `del object[key]`. @throws PythonError */
    deleteItem(object: PyObject, key: unknown): void {
      const python = running();
      python.step(native => native.setItem(required(object, 'object'), python.toPython(key)));
    },
    /** An attribute whose name JavaScript uses itself, as `then`; undefined where there is none. */
    attribute(object: PyObject, name: string): PyAny {
      const python = running();
      const value = python.native.getAttribute(required(object, 'object'), name);
      return value === null ? undefined : python.fromPython(value);
    },

    /**
     * The object that Python has for an array, where the array itself would come back as one: its attributes and methods are those of
     * Python's. @throws FreedError, BufferError
     */
    array: (array: NDArray): PyObject => made(python => python.native.makeObject(python.toPython(array))),

    /**
     * An array over the memory of a Python object that has one of the array protocols, which it keeps; a copy only where `options` ask
     * for it. @throws ArgumentError for an object without any, BufferError, DescriptorError where it says what cannot be
     */
    asArray: (object: PyObject, options: AsArrayOptions = {}): NDArray =>
      running().arrays.fromPython(required(object, 'object'), options),

    /**
     * Makes this library's memory manager the allocator of Python's libraries, of all that are installed or of those named: one
     * log, one limit and one pool for all. Says of each whether it was taken. Importing them may take seconds.
     * @throws ArgumentError for another library, MemoryManagerError for a Python in another process
     */
    shareMemoryManager: (libraries?: readonly MemoryLibrary[]): SharedMemoryManager =>
      shareMemoryManager(running(), libraries),

    /**
     * A class for `setMemoryManager` and `usingMemoryManager` over a memory manager written in Python: any class with NBEP 7's
     * methods. @throws MemoryManagerError for one that lacks methods or is of another version (rules 178, 199)
     */
    memoryManager: (managerClass: PyObject): MemoryManagerClass =>
      memoryManagerOf(running(), required(managerClass, 'managerClass')),

    /**
     * What a coroutine, a task or any other awaitable of Python comes to; coroutines run in one event loop of asyncio, on a thread
     * of its own. @throws PythonError, and the reason of `signal`, which cancels it
     */
    promise: (awaitable: PyObject, options: PromiseOptions = {}): Promise<PyAny> =>
      running().asynchronous.promise(required(awaitable, 'awaitable'), options),

    /** Calls on another thread, so that JavaScript goes on meanwhile; a coroutine is waited for. @throws PythonError */
    callAsync(callable: PyObject, ...values: unknown[]): Promise<PyAny> {
      return running().callAsync(required(callable, 'callable'), values);
    },

    /** A copy in JavaScript's own terms: dict, list, tuple, set, bytes, however deep; None inside is null. */
    toJS: (value: unknown): PyAny => running().toJS(value),
    isObject: (value: unknown): value is PyObject => handleOf(value) !== undefined,
    /** Whether both are the identical object, as Python's `is`. */
    is: (left: unknown, right: unknown): boolean => running().isSame(left, right),
    /** bool(value). */
    truth: (value: PyObject): boolean => running().native.truth(required(value, 'value')),
    repr: (value: unknown): string => running().repr(running().native.makeObject(running().toPython(value)))
  });
  return python;
}

/** The members through which programs use an interpreter. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an interface, since `open` names its own type
export interface Python extends ReturnType<typeof pythonOf> {}

/** The program's Python interpreter, started at its first use. */
export const python: Python = pythonOf(new PythonHome());
