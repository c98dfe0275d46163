/** Python objects as JavaScript sees them: attributes, calls and iteration go to Python. */

import { inspect } from 'node:util';

import type { NDArray } from '../../array/array.ts';
import { ArgumentError } from '../../base/errors.ts';
import type { NativePythonHandle } from '../../native/python-binding.ts';
import type { ImportOptions } from '../../interchange/cai/import.ts';
import type { FromDlpackOptions } from '../../interchange/dlpack/import.ts';
import { TAKE_ARRAY } from '../../interchange/foreign.ts';
import { DISPLAY_METHOD } from '../../notebook/host.ts';
import { noteInScope } from '../../base/scope.ts';
import type { ImportVia } from './array-bridge.ts';
import { notebookOf } from './notebook.ts';
import type { Interpreter } from './interpreter.ts';

/** A Python value without a static type. This is `any`, because `unknown` would require a cast for each attribute of each module. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type PyAny = any;

/** A Python object. Calls and attributes return numbers, text, bool and undefined (for None) by value, and other objects as PyObject. */
export interface PyObject extends Disposable, Iterable<PyAny>, AsyncIterable<PyAny> {
  (...values: unknown[]): PyAny;
  new (...values: unknown[]): PyAny;
  [attribute: string]: PyAny;
}

/** Keyword arguments, passed as the last argument of a call: `np.arange(12, python.kw({ dtype: "float32" }))`. */
export class Keywords {
  /** The arguments by name. */
  readonly values: Readonly<Record<string, unknown>>;

  constructor(values: Readonly<Record<string, unknown>>) {
    this.values = values;
  }
}

interface Held {
  readonly interpreter: Interpreter;
  readonly handle: NativePythonHandle;
}

const handles = new WeakMap<object, Held>();

/** Returns the handle of a Python object; undefined for anything else. */
export function handleOf(value: unknown): NativePythonHandle | undefined {
  return handles.get(value as object)?.handle;
}

/**
 * Returns the handle of a Python object, for use in `interpreter`; undefined for other values.
 * @throws ArgumentError for an object of another interpreter
 */
export function handleIn(interpreter: Interpreter, value: object): NativePythonHandle | undefined {
  const held = handles.get(value);
  if (held === undefined || held.interpreter === interpreter) return held?.handle;
  throw new ArgumentError('this object belongs to another Python: pass a copy, `python.toJS(it)`');
}

/** Returns the interpreter of a Python object; undefined for anything else. */
export function interpreterOf(value: unknown): Interpreter | undefined {
  return handles.get(value as object)?.interpreter;
}

/**
 * The target of all proxies of Python objects. It is a function, since any of them may be callable; a bound
 * function can be constructed and has no own property that a proxy would have to report.
 */
const target = function (): void {}.bind(undefined);
Object.setPrototypeOf(
  target,
  Object.create(Function.prototype, {
    // Node looks it up on the target and calls it on the proxy.
    [inspect.custom]: {
      value(this: object): string {
        const held = handles.get(this);
        return held === undefined ? 'PyObject' : held.interpreter.repr(held.handle);
      }
    }
  }) as object
);

/** Makes a Python object over a handle, in the open scope. */
export function pyObject(interpreter: Interpreter, handle: NativePythonHandle): PyObject {
  const proxy = new Proxy(target, new PythonTraps(interpreter, handle)) as unknown as PyObject;
  handles.set(proxy, { interpreter, handle });
  noteInScope(proxy);
  return proxy;
}

class PythonTraps implements ProxyHandler<() => undefined> {
  readonly #python: Interpreter;
  readonly #handle: NativePythonHandle;

  constructor(python: Interpreter, handle: NativePythonHandle) {
    this.#python = python;
    this.#handle = handle;
  }

  get(_target: () => undefined, key: string | symbol): unknown {
    if (typeof key === 'symbol') return this.#symbol(key);
    // Promises look up `then` on any value that they resolve to.
    if (key === 'then') return undefined;
    const value = this.#python.native.getAttribute(this.#handle, key);
    if (value !== null) return this.#python.fromPython(value);
    return key === 'toString' ? () => this.#python.text(this.#handle) : undefined;
  }

  set(_target: () => undefined, key: string | symbol, value: unknown): boolean {
    if (typeof key === 'symbol') return false;
    this.#python.step(native => native.setAttribute(this.#handle, key, this.#python.toPython(value)));
    return true;
  }

  deleteProperty(_target: () => undefined, key: string | symbol): boolean {
    if (typeof key === 'symbol') return false;
    this.#python.step(native => native.setAttribute(this.#handle, key));
    return true;
  }

  has(_target: () => undefined, key: string | symbol): boolean {
    return typeof key === 'string' && this.#python.native.getAttribute(this.#handle, key) !== null;
  }

  ownKeys(): string[] {
    return this.#python.attributes(this.#handle);
  }

  getOwnPropertyDescriptor(target: () => undefined, key: string | symbol): PropertyDescriptor | undefined {
    if (!this.has(target, key)) return undefined;
    return { value: this.get(target, key), writable: true, enumerable: true, configurable: true };
  }

  apply(_target: () => undefined, _this: unknown, values: unknown[]): unknown {
    return this.#python.call(this.#handle, values);
  }

  construct(_target: () => undefined, values: unknown[]): object {
    return this.#python.call(this.#handle, values) as object;
  }

  #symbol(key: symbol): unknown {
    switch (key) {
      case Symbol.iterator:
        return () => this.#python.iterate(this.#handle);
      case Symbol.asyncIterator:
        return this.#python.native.getAttribute(this.#handle, '__aiter__') === null
          ? undefined
          : () => this.#python.asynchronous.iterate(this.#handle);
      case Symbol.dispose:
        return () => this.#python.step(native => native.release(this.#handle));
      case Symbol.toPrimitive:
        return (hint: string) => this.#primitive(hint);
      case DISPLAY_METHOD:
        return () => this.#bundle();
      case TAKE_ARRAY:
        return (via: ImportVia, options: ImportOptions | FromDlpackOptions) => this.#array(via, options);
      default:
        return undefined;
    }
  }

  /** Imports an array: `asCudaArray` never copies; between processes the kind of memory decides. */
  #array(via: ImportVia, options: ImportOptions | FromDlpackOptions): NDArray {
    const { arrays, host } = this.#python;
    const whole = via === 'cuda-array-interface' ? { ...options, copy: false } : options;
    return arrays.fromPython(this.#handle, host.process === null ? { ...whole, via } : whole);
  }

  #primitive(hint: string): unknown {
    const { native } = this.#python;
    const has = (name: string): boolean => native.getAttribute(this.#handle, name) !== null;
    if (hint === 'string' || !has('__float__')) return this.#python.text(this.#handle);
    return this.#python.number(this.#handle);
  }

  #bundle(): Readonly<Record<string, unknown>> {
    const { bundle, problems } = notebookOf(this.#python).bundle(this.#handle);
    for (const problem of problems) process.stderr.write(`${problem}\n`);
    return bundle;
  }
}
