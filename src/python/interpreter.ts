/** CPython, here or in another process: values across the line, calls both ways, exceptions as errors. */

import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

import { ArgumentError } from '../errors.ts';
import type {
  CallableFromPython,
  FromPython,
  NativePython,
  NativePythonHandle,
  ToPython
} from '../native/python-binding.ts';
import { NDArray } from '../array.ts';
import type { ArrayBridge } from './array-bridge.ts';
import type { PythonInstallation } from './discover.ts';
import { PythonError, PythonUnavailableError } from './errors.ts';
import type { PythonHost } from './host.ts';
import { handleIn, handleOf, isOf, Keywords, pyObject } from './object.ts';
import { askThroughNotebook } from './questions.ts';

const BRIDGE_MODULE = 'stridelab_bridge';

type HelperName =
  'describe' | 'JavaScriptError' | 'redirect' | 'undirect' | 'to_javascript' | 'compare' | 'shut_down';
type BuiltinName = 'repr' | 'str' | 'float' | 'dir';

/** JavaScript's function behind what Python was given for it, so that it comes back as itself. */
const given = new WeakMap<CallableFromPython, (...values: unknown[]) => unknown>();

export class Interpreter {
  readonly native: NativePython;
  readonly installation: PythonInstallation;
  readonly arrays: ArrayBridge;
  /** Undefined while they are loaded. */
  readonly #helpers: Record<HelperName, NativePythonHandle>;
  readonly #builtins: Record<BuiltinName, NativePythonHandle>;
  readonly #functions = new WeakMap<(...values: unknown[]) => unknown, CallableFromPython>();

  /** Starts `installation` on `host`. @throws PythonUnavailableError */
  constructor(installation: PythonInstallation, host: PythonHost) {
    this.native = host.native;
    this.arrays = host.arrays;
    this.installation = installation;
    host.start(installation, exception => this.#error(exception));
    const bridge = createRequire(import.meta.url).resolve('#bridge');
    const module = this.native.module(BRIDGE_MODULE);
    const builtins = this.native.import('builtins');
    const used = ['repr', 'str', 'float', 'dir'] as const;
    this.#builtins = this.#named(used, name => this.native.getAttribute(builtins, name));
    // Added by the interpreter itself only since 3.10.
    this.native.setItem(module, '__builtins__', builtins);
    this.native.execute(readFileSync(bridge, 'utf8'), bridge, module);
    const names = [
      'describe',
      'JavaScriptError',
      'redirect',
      'undirect',
      'to_javascript',
      'compare',
      'shut_down'
    ] as const;
    this.#helpers = this.#named(names, name => this.native.getItem(module, name));
    if (host.apart) return;
    const write = (stream: 'stdout' | 'stderr') => (text: unknown) =>
      void process[stream].write(String(text));
    this.native.call(this.#helpers.redirect, this.toPython(write('stdout')), this.toPython(write('stderr')));
    askThroughNotebook(this);
    process.once('exit', () => this.#shutDown());
  }

  /**
   * A value for Python: scalars and text by value; arrays as list, plain objects and maps as dict, sets as set, functions as
   * callables; Python objects as themselves. @throws ArgumentError for what has no counterpart
   */
  toPython(value: unknown): ToPython {
    switch (typeof value) {
      case 'object':
        return value === null ? undefined : (handleIn(this, value) ?? this.#container(value));
      case 'function':
        return handleIn(this, value) ?? this.#function(value as (...values: unknown[]) => unknown);
      case 'symbol':
        throw new ArgumentError(`a symbol has no counterpart in Python: ${String(value)}`);
      default:
        return value as ToPython;
    }
  }

  fromPython(value: FromPython): unknown {
    if (typeof value === 'object') return pyObject(this, value);
    return typeof value === 'function' ? (given.get(value) ?? value) : value;
  }

  call(callable: NativePythonHandle, values: readonly unknown[]): unknown {
    const last = values.at(-1);
    if (last instanceof Keywords) {
      const positional = values.slice(0, -1).map(value => this.toPython(value));
      const result = this.native.callKeywords(callable, positional, this.dict(Object.entries(last.values)));
      return this.fromPython(result);
    }
    // The common counts without an array in between.
    const { native } = this;
    if (values.length === 0) return this.fromPython(native.call(callable));
    if (values.length === 1) return this.fromPython(native.call(callable, this.toPython(values[0])));
    return this.fromPython(native.call(callable, ...values.map(value => this.toPython(value))));
  }

  /** On another thread, so that JavaScript goes on. */
  async callAsync(callable: NativePythonHandle, values: readonly unknown[]): Promise<unknown> {
    const converted = values.map(value => this.toPython(value));
    const [raised, outcome] = await this.native.callAsync(callable, ...converted);
    if (raised) throw this.#error(outcome as NativePythonHandle);
    return this.fromPython(outcome);
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
    return this.native.makeDict(
      entries.map(([key]) => this.toPython(key)),
      entries.map(([, value]) => this.toPython(value))
    );
  }

  list(items: readonly unknown[]): NativePythonHandle {
    return this.native.makeList(items.map(item => this.toPython(item)));
  }

  tuple(items: readonly unknown[]): NativePythonHandle {
    return this.native.makeTuple(items.map(item => this.toPython(item)));
  }

  text(object: NativePythonHandle): string {
    return this.native.call(this.#builtins.str, object) as string;
  }

  repr(object: NativePythonHandle): string {
    return this.native.call(this.#builtins.repr, object) as string;
  }

  number(object: NativePythonHandle): number {
    return Number(this.native.call(this.#builtins.float, object));
  }

  attributes(object: NativePythonHandle): string[] {
    const names = this.native.call(this.#builtins.dir, object) as NativePythonHandle;
    return [...this.iterate(names)].map(String);
  }

  isSame(left: unknown, right: unknown): boolean {
    return this.native.call(this.#helpers.compare, this.toPython(left), this.toPython(right)) === true;
  }

  /** Dicts as plain objects where all keys are text, else as maps; lists and tuples as arrays; sets; bytes as Uint8Array. Copies. */
  toJS(value: unknown): unknown {
    const handle = handleOf(value);
    if (handle === undefined) return value;
    return this.#decode(this.native.call(this.#helpers.to_javascript, handle) as NativePythonHandle);
  }

  #decode(tagged: NativePythonHandle): unknown {
    const item = (index: number): FromPython => this.native.getItem(tagged, index);
    const all = (list: FromPython): unknown[] => {
      const items: unknown[] = [];
      const iterator = this.native.iterate(list as NativePythonHandle);
      for (let next = this.native.next(iterator); next !== null; next = this.native.next(iterator)) {
        items.push(this.#decode(next as NativePythonHandle));
      }
      return items;
    };
    switch (item(0)) {
      case 'dict': {
        const keys = all(item(1));
        const entries = all(item(2)).map((value, index) => [keys[index], value] as const);
        return keys.every(key => typeof key === 'string')
          ? Object.fromEntries(entries as [string, unknown][])
          : new Map(entries);
      }
      case 'list':
        return all(item(1));
      case 'set':
        return new Set(all(item(1)));
      case 'bytes':
        return this.native.bytesOf(item(1) as NativePythonHandle);
      default:
        return this.fromPython(item(1)) ?? null;
    }
  }

  #named<Name extends string>(
    names: readonly Name[],
    find: (name: Name) => FromPython | null
  ): Record<Name, NativePythonHandle> {
    return Object.fromEntries(names.map(name => [name, find(name)])) as Record<Name, NativePythonHandle>;
  }

  #container(value: object): NativePythonHandle {
    if (Array.isArray(value)) return this.list(value as unknown[]);
    if (value instanceof Map) return this.dict([...(value as Map<unknown, unknown>)]);
    if (value instanceof Set) return this.native.makeSet([...value].map(item => this.toPython(item)));
    if (value instanceof NDArray) return this.arrays.toPython(value as NDArray);
    if (value instanceof PythonError) return this.toPython(value.exception) as NativePythonHandle;
    const prototype: unknown = Object.getPrototypeOf(value);
    if (prototype === Object.prototype || prototype === null) return this.dict(Object.entries(value));
    const advice = ArrayBuffer.isView(value) ? '; python.bytes(it) makes a copy' : '';
    const name = (value as { constructor?: { name?: string } }).constructor?.name ?? 'object';
    throw new ArgumentError(`a value of class ${name} has no counterpart in Python${advice}`);
  }

  #function(function_: (...values: unknown[]) => unknown): NativePythonHandle {
    let callable = this.#functions.get(function_);
    if (callable === undefined) {
      callable = (values, names) => this.#called(function_, values, names);
      this.#functions.set(function_, callable);
      given.set(callable, function_);
    }
    return this.native.makeFunction(callable, function_.name === '' ? 'javascript' : function_.name);
  }

  /** What Python calls. Keywords come as one plain object, the last argument. */
  #called(
    function_: (...values: unknown[]) => unknown,
    values: readonly FromPython[],
    names: readonly string[] | undefined
  ): ToPython {
    try {
      const converted = values.map(value => this.fromPython(value));
      if (names !== undefined) {
        const keywords = converted.splice(converted.length - names.length);
        converted.push(Object.fromEntries(names.map((name, index) => [name, keywords[index]])));
      }
      return this.toPython(function_(...converted));
    } catch (error) {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- by the contract of NativePython
      throw this.#exception(error);
    }
  }

  /** The exception that Python raises for an error: its own one where it came from Python. */
  #exception(error: unknown): NativePythonHandle {
    if (error instanceof PythonError && isOf(this, error.exception as object))
      return handleOf(error.exception) as NativePythonHandle;
    const [message, stack] =
      error instanceof Error ? [`${error.name}: ${error.message}`, error.stack ?? ''] : [String(error), ''];
    const giveBack = this.#function(() => error);
    return this.native.call(this.#helpers.JavaScriptError, message, stack, giveBack) as NativePythonHandle;
  }

  /** The error for an exception; JavaScript's own where it went through Python. */
  #error(exception: NativePythonHandle): Error {
    if ((this.#helpers as unknown) === undefined) return new PythonUnavailableError(this.repr(exception));
    const description = this.native.call(this.#helpers.describe, exception) as NativePythonHandle;
    const [type, message, traceback, giveBack] = [...this.iterate(description)];
    const own = typeof giveBack === 'function' ? (giveBack as () => unknown)() : undefined;
    if (own instanceof Error) return own;
    const told = { type: String(type), message: String(message), traceback: String(traceback) };
    return new PythonError(told, pyObject(this, exception));
  }

  /** Threads that wait for JavaScript would be waited for in turn, so they are let go first. */
  #shutDown(): void {
    this.native.call(this.#helpers.undirect);
    this.native.closeCallbacks();
    this.native.call(this.#helpers.shut_down);
  }
}
