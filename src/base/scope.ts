/** Scopes: arrays and Python objects made inside are disposed at the end, except those that are kept or returned. */

import { ended } from './unwind.ts';

/** A value that a scope can dispose. */
export type Scoped = Disposable;

/** Open scopes, innermost last. Code is synchronous between opening and closing, so one list is enough. */
const open: Scope[] = [];

/** Adds a new array to the innermost scope; called by constructors of the library. */
export function noteInScope(made: Scoped): void {
  if (open.length > 0) open.at(-1)?.add(made);
}

/** Removes an object that another object now owns, such as an array's mask, from every scope. */
export function takeOutOfScopes(owned: Scoped): void {
  for (const scope of open) scope.leave(owned);
}

/** Collects every array that can be reached through plain arrays and objects of a result. */
function collect(value: unknown, made: ReadonlySet<Scoped>, found: Set<Scoped>, seen: Set<object>): void {
  // Python objects are callable.
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) return;
  seen.add(value);
  if (made.has(value as Scoped)) {
    found.add(value as Scoped);
    return;
  }
  if (typeof value === 'function') return;
  const prototype: unknown = Object.getPrototypeOf(value);
  if (Array.isArray(value) || prototype === Object.prototype || prototype === null) {
    for (const member of Object.values(value)) collect(member, made, found, seen);
  } else if (value instanceof Map || value instanceof Set) {
    for (const member of value.values()) collect(member, made, found, seen);
  }
}

/** An open scope, for `using`. Scopes close in the reverse order of opening. */
export class Scope {
  readonly #made = new Set<Scoped>();

  /** Internal: call `scope()`. */
  constructor() {
    open.push(this);
  }

  /** Adds an array to the scope. Internal. */
  add(made: Scoped): void {
    this.#made.add(made);
  }

  /** Removes an array that another array owns. Internal. */
  leave(owned: Scoped): void {
    this.#made.delete(owned);
  }

  /** Moves an array to the enclosing scope, if there is one, so that it outlives this scope. */
  keep<Array extends Scoped>(array: Array): Array {
    if (this.#made.delete(array)) open[open.indexOf(this) - 1]?.add(array);
    return array;
  }

  /** Keeps every array in a value, however deeply nested in arrays, plain objects, maps and sets. */
  keepAll(value: unknown): void {
    const found = new Set<Scoped>();
    collect(value, this.#made, found, new Set());
    for (const array of found) this.keep(array);
  }

  /** Disposes the objects made inside and not kept, and closes inner scopes that are still open. */
  dispose(): void {
    const depth = open.indexOf(this);
    if (depth < 0) return;
    for (const inner of open.slice(depth + 1).reverse()) inner.dispose();
    open.splice(depth, 1);
    const made = [...this.#made];
    this.#made.clear();
    let failure: { readonly error: unknown } | undefined;
    for (const array of made) {
      try {
        array[Symbol.dispose]();
      } catch (error) {
        failure ??= { error };
      }
    }
    if (failure !== undefined) throw failure.error;
  }

  [Symbol.dispose](): void {
    this.dispose();
  }
}

/**
 * Opens a scope that disposes the arrays made inside it: until it is disposed (`using s = scope()`), or while `body` runs. Arrays in the
 * result of `body`, however deeply nested, are kept. Frees are ordered after the device's work, so nothing waits. `body` must be
 * synchronous.
 * @example using s = scope();
 */
export function scope(): Scope;
/**
 * Runs `body` and disposes the arrays made inside, views included, except those in its result. Frees are
 * ordered after the device's work, so nothing waits. `body` must be synchronous: arrays made after an `await`
 * would belong to whichever scope is open then. @throws TypeError for a promise, after disposing
 */
export function scope<Result>(body: (scope: Scope) => Result): Result;
export function scope<Result>(body?: (scope: Scope) => Result): Scope | Result {
  const opened = new Scope();
  if (body === undefined) return opened;
  return ended(
    () => opened.dispose(),
    () => {
      const result = body(opened);
      if (result instanceof Promise)
        throw new TypeError('scope: the function returned a promise, expected a synchronous function');
      opened.keepAll(result);
      return result;
    }
  );
}
