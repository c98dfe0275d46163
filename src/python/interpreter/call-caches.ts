/** Python objects that calls would otherwise make again and again. */

import type { NativePythonHandle, PythonCalls } from '../../native/python-binding.ts';

/** The number of names that are kept, over all combinations. */
const MOST_NAMES = 1000;

interface Names {
  /** The tuple of the names up to here; undefined until it is needed. */
  tuple: NativePythonHandle | undefined;
  readonly next: Map<string, Names>;
}

/** The tuples of names with which calls pass keyword arguments. */
export class KeywordNames {
  readonly #native: PythonCalls;
  #root: Names = { tuple: undefined, next: new Map() };
  #count = 0;

  constructor(native: PythonCalls) {
    this.#native = native;
  }

  /** Returns a tuple of the names, in this order. */
  tupleOf(names: readonly string[]): NativePythonHandle {
    let at = this.#root;
    for (const name of names) at = at.next.get(name) ?? this.#add(at, name);
    return (at.tuple ??= this.#native.makeTuple(names));
  }

  #add(at: Names, name: string): Names {
    if (++this.#count > MOST_NAMES) {
      this.#count = 0;
      this.#root = { tuple: undefined, next: new Map() };
    }
    const added: Names = { tuple: undefined, next: new Map() };
    at.next.set(name, added);
    return added;
  }
}

/** The number of callables that are kept, in case an interrupt drops the microtask that forgets them. */
const MOST_CALLABLES = 64;

export type AnyFunction = (...values: never[]) => unknown;

/**
 * The Python callables of functions that were passed to Python in this turn: loops pass the same function again. Python's reference keeps
 * a function alive, and the callable's handle is a Python reference, so no cache may keep the handle for longer.
 */
export class CallablesOfTurn {
  readonly #made = new Map<AnyFunction, NativePythonHandle>();
  readonly #clear = (): void => this.#made.clear();

  /** Returns the callable of a function; undefined for anything that was not passed in this turn. */
  known(function_: AnyFunction): NativePythonHandle | undefined {
    return this.#made.size === 0 ? undefined : this.#made.get(function_);
  }

  add(function_: AnyFunction, made: NativePythonHandle): void {
    if (this.#made.size >= MOST_CALLABLES) this.#clear();
    if (this.#made.size === 0) queueMicrotask(this.#clear);
    this.#made.set(function_, made);
  }
}
