/** The members through which programs use an interpreter: `python`. */

import type { NDArray } from '../array/array.ts';
import { ArgumentError } from '../base/errors.ts';
import type { NativePythonHandle } from '../native/python-binding.ts';
import type { MemoryManagerClass } from '../memory/manager/base.ts';
import type { AsArrayOptions } from './interpreter/array-bridge.ts';
import type { PromiseOptions } from './interpreter/asynchronous.ts';
import { pythonCandidates } from './interpreter/candidates.ts';
import { examinePython, type PythonInstallation, type PythonRefusal } from './interpreter/discover.ts';
import { PythonHome, type PythonOptions, type PythonStatus } from './home.ts';
import { Interpreter } from './interpreter/interpreter.ts';
import { memoryManagerOf } from './memory/python-manager.ts';
import { shareMemoryManager, type MemoryLibrary, type SharedMemoryManager } from './memory/share.ts';
import { parentHost } from './process/process-host.ts';
import { handleIn, handleOf, Keywords, pyObject, type PyAny, type PyObject } from './interpreter/object.ts';

/** Makes the members for the interpreter that `home` has or starts. */
function pythonOf(home: PythonHome) {
  const running = (): Interpreter => home.running();
  const required = (value: unknown, what: string): NativePythonHandle => {
    if (handleOf(value) === undefined) throw new ArgumentError(`${what}: expected a Python object`);
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

    /** Returns whether Python runs, and where. Does not start it. */
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
     * Ends a Python in another process like a normal exit: waits for threads and runs atexit functions; kills it after ten seconds.
     * Its objects then throw PythonLostError. @throws ArgumentError for the one in this process
     */
    close: (): void => home.close(),
    [Symbol.dispose]: (): void => home.close(),

    /** Lists the interpreters that `start` would examine, in order, each with its obstacle. Starts none. */
    discover: (): (PythonInstallation | PythonRefusal)[] => pythonCandidates().map(examinePython),

    /** Imports a module. @throws PythonError (ModuleNotFoundError) */
    import(name: string): PyObject {
      const python = running();
      return pyObject(python, python.native.import(name));
    },

    /** The module `builtins`: `python.builtins.len(x)`. */
    get builtins(): PyObject {
      return python.import('builtins');
    },

    /** Runs statements in `__main__`, where names persist. @throws PythonError */
    run(source: string, file = '<python>'): void {
      running().step(native => native.execute(source, file, native.module('__main__')));
    },

    /** Evaluates an expression in `__main__`. @throws PythonError */
    evaluate(expression: string): PyAny {
      const python = running();
      const main = python.native.module('__main__');
      return python.fromPython(python.step(() => python.builtins.call('eval', expression, main)));
    },

    /** Makes keyword arguments, to be passed as the last argument of a call. */
    kw: (values: Readonly<Record<string, unknown>>): Keywords => new Keywords(values),

    /** Makes a float, where JavaScript's integer would become an int. */
    float: (value: number): PyObject => made(({ native }) => native.makeFloat(value)),
    /** Makes an int object. @throws ArgumentError for a fraction */
    int: (value: number | bigint): PyObject => made(({ native }) => native.makeInt(value)),
    /** Makes a str object, with Python's methods. */
    str: (value: string): PyObject => made(({ native }) => native.makeObject(value)),
    list: (items: Iterable<unknown>): PyObject => made(python => python.list([...items])),
    tuple: (items: Iterable<unknown>): PyObject => made(python => python.tuple([...items])),
    dict: (entries: Readonly<Record<string, unknown>> | ReadonlyMap<unknown, unknown>): PyObject =>
      made(python => python.dict(entries instanceof Map ? [...entries] : Object.entries(entries))),
    set: (items: Iterable<unknown>): PyObject =>
      made(python => python.native.makeSet([...items].map(item => python.toPython(item)))),
    /** Makes a bytes object with a copy of the bytes. */
    bytes: (bytes: ArrayBufferView): PyObject => made(({ native }) => native.makeBytes(bytes)),
    /** Makes the key of `x[start:stop:step]`; undefined parts are left out. */
    slice: (start?: unknown, stop?: unknown, step?: unknown): PyObject =>
      made(python =>
        python.native.makeSlice(python.toPython(start), python.toPython(stop), python.toPython(step))
      ),

    /** Returns `object[key]`; several keys form a tuple. @throws PythonError */
    item(object: PyObject, ...keys: unknown[]): PyAny {
      const python = running();
      const key = keys.length === 1 ? python.toPython(keys[0]) : python.tuple(keys);
      return python.fromPython(python.native.getItem(required(object, 'object'), key));
    },
    /** Sets `object[key] = value`. @throws PythonError */
    setItem(object: PyObject, key: unknown, value: unknown): void {
      const python = running();
      python.step(native =>
        native.setItem(required(object, 'object'), python.toPython(key), python.toPython(value))
      );
    },
    /** Deletes `object[key]`. @throws PythonError */
    deleteItem(object: PyObject, key: unknown): void {
      const python = running();
      python.step(native => native.setItem(required(object, 'object'), python.toPython(key)));
    },
    /** Returns an attribute whose name JavaScript reserves, such as `then`; undefined if there is none. */
    attribute(object: PyObject, name: string): PyAny {
      const python = running();
      const value = python.native.getAttribute(required(object, 'object'), name);
      return value === null ? undefined : python.fromPython(value);
    },

    /**
     * Returns the Python object for an array, with Python's attributes and methods; the array itself would return as an array.
     * @throws FreedError, BufferError
     */
    array: (array: NDArray): PyObject => made(python => python.native.makeObject(python.toPython(array))),

    /**
     * Imports the memory of a Python object that supports an array protocol; the array keeps the object. Copies only if `options`
     * require it.
     * @throws ArgumentError for an object without a protocol, BufferError, DescriptorError for an invalid descriptor
     */
    asArray: (object: PyObject, options: AsArrayOptions = {}): NDArray =>
      running().arrays.fromPython(required(object, 'object'), options),

    /**
     * Makes this library's memory manager the allocator of Python's libraries: of all installed ones or those named. They then
     * share one log, one limit and one pool. Reports the outcome for each. Importing them may take seconds.
     * @throws ArgumentError for another library, MemoryManagerError for a Python in another process
     */
    shareMemoryManager: (libraries?: readonly MemoryLibrary[]): SharedMemoryManager =>
      shareMemoryManager(running(), libraries),

    /**
     * Makes a class for `setMemoryManager` and `usingMemoryManager` from a memory manager written in Python: any class with NBEP 7's
     * methods.
     * @throws MemoryManagerError for one that lacks methods or is of another version (rules 178, 199)
     */
    memoryManager: (managerClass: PyObject): MemoryManagerClass =>
      memoryManagerOf(running(), required(managerClass, 'managerClass')),

    /**
     * Resolves with the result of a coroutine, a task or any other awaitable of Python; coroutines run in one asyncio event loop on a
     * separate thread.
     * @throws PythonError, and the reason of `signal`, which cancels it
     */
    promise: (awaitable: PyObject, options: PromiseOptions = {}): Promise<PyAny> =>
      running().asynchronous.promise(required(awaitable, 'awaitable'), options),

    /** Calls on another thread, without blocking JavaScript; a coroutine is awaited. @throws PythonError */
    callAsync(callable: PyObject, ...values: unknown[]): Promise<PyAny> {
      return running().callAsync(required(callable, 'callable'), values);
    },

    /** Copies a value to JavaScript: dict, list, tuple, set, bytes, at any depth; None inside a container is null. */
    toJS: (value: unknown): PyAny => running().toJS(value),
    isObject: (value: unknown): value is PyObject => handleOf(value) !== undefined,
    /** Tests identity, like Python's `is`. */
    is: (left: unknown, right: unknown): boolean => running().isSame(left, right),
    /** Returns `bool(value)`. */
    truth: (value: PyObject): boolean => running().native.truth(required(value, 'value')),
    repr: (value: unknown): string => running().repr(running().native.makeObject(running().toPython(value)))
  });
  return python;
}

/** The members through which programs use an interpreter. */
// eslint-disable-next-line @typescript-eslint/no-empty-object-type -- an interface, since `open` names its own type
export interface Python extends ReturnType<typeof pythonOf> {}

const home = new PythonHome();

/** The program's Python interpreter, started at its first use. */
export const python: Python = pythonOf(home);

/**
 * Makes the process that started this one the program's Python, over the socket that it left open as `descriptor`, and returns the
 * interpreter. Calls `ended` when the connection has ended. @throws PythonUnavailableError
 */
export function usePythonOfParent(
  installation: PythonInstallation,
  descriptor: number,
  ended: () => void
): Interpreter {
  const interpreter = new Interpreter(installation, parentHost(installation, descriptor, ended));
  home.adopt(interpreter);
  return interpreter;
}
