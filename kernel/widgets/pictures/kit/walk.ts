/** Finds the arrays that a notebook's variables reach, without running any of the notebook's code: no getter, no proxy, no iterator. */

import { types } from 'node:util';
import { NDArray } from '../../../../src/array/array.ts';
import { isIdentifier } from '../../../protocol/syntax.ts';

const MAX_DEPTH = 5;
export const MAX_MEMBERS = 20_000;
const MAX_VALUES = 200_000;
/** Number of values after which a walk pauses. */
const STRIDE = 256;

export interface Found {
  readonly array: NDArray;
  /** Expression for the array. */
  readonly name: string;
}

/** Reports whether a limit ended the walk early. */
export interface WalkReport {
  truncated: boolean;
}

/** Yields each array with each of its names, and null from time to time, so that the caller can yield to other work. */
export function* walkArrays(
  variables: Iterable<readonly [string, unknown]>,
  report: WalkReport
): Generator<Found | null> {
  const walk = new Walk(report);
  for (const [name, value] of variables) yield* walk.visit(value, name, 0);
}

class Walk {
  readonly #report: WalkReport;
  /** Objects already visited, which also ends cycles. */
  readonly #seen = new Set<object>();
  #values = 0;

  constructor(report: WalkReport) {
    this.#report = report;
  }

  *visit(value: unknown, name: string, depth: number): Generator<Found | null> {
    this.#values += 1;
    if (this.#values % STRIDE === 0) yield null;
    if (typeof value !== 'object' || value === null || types.isProxy(value)) return;
    if (isNDArray(value)) {
      yield { array: value, name };
      return;
    }
    if (this.#seen.has(value)) return;
    this.#seen.add(value);
    if (depth === MAX_DEPTH) return;
    let members = 0;
    for (const [step, member] of membersOf(value)) {
      members += 1;
      if (members > MAX_MEMBERS || this.#values > MAX_VALUES) {
        this.#report.truncated = true;
        return;
      }
      // Most members are numbers and texts, for which no name is built.
      if (typeof member === 'object' && member !== null) yield* this.visit(member, name + step, depth + 1);
      else this.#values += 1;
    }
  }
}

/** Returns the data members of a container, each with the expression that leads to it. */
function membersOf(value: object): Iterable<readonly [string, unknown]> {
  if (Array.isArray(value)) return elements(value);
  if (types.isMap(value)) return mapValues(value);
  if (types.isSet(value)) return setValues(value);
  // Excludes values that run code or have no arrays as properties; namespaces may have uninitialized bindings.
  if (ArrayBuffer.isView(value) || types.isAnyArrayBuffer(value) || types.isModuleNamespaceObject(value))
    return [];
  return properties(value);
}

function* elements(array: readonly unknown[]): Generator<readonly [string, unknown]> {
  const { length } = array;
  for (let index = 0; index < length; index += 1) {
    const property = Object.getOwnPropertyDescriptor(array, index);
    yield [`[${index}]`, property?.value];
  }
}

function* properties(value: object): Generator<readonly [string, unknown]> {
  for (const key of Object.keys(value)) {
    const property = Object.getOwnPropertyDescriptor(value, key);
    yield [isIdentifier(key) ? `.${key}` : `[${JSON.stringify(key)}]`, property?.value];
  }
}

function* mapValues(map: ReadonlyMap<unknown, unknown>): Generator<readonly [string, unknown]> {
  let index = 0;
  for (const [key, value] of Map.prototype.entries.call(map) as MapIterator<[unknown, unknown]>) {
    const literal = typeof key === 'string' ? JSON.stringify(key) : isLiteral(key) ? String(key) : undefined;
    yield [literal === undefined ? `.values().toArray()[${index}]` : `.get(${literal})`, value];
    index += 1;
  }
}

function* setValues(set: ReadonlySet<unknown>): Generator<readonly [string, unknown]> {
  let index = 0;
  for (const value of Set.prototype.values.call(set) as SetIterator<unknown>) {
    yield [`.values().toArray()[${index}]`, value];
    index += 1;
  }
}

function isLiteral(key: unknown): key is number | boolean {
  return typeof key === 'number' || typeof key === 'boolean';
}

/** Returns whether a value is an array. `instanceof` would call traps of proxies, also among prototypes, which may throw. */
export function isNDArray(value: unknown): value is NDArray {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return false;
  let prototype: object | null = Object.getPrototypeOf(value) as object | null;
  while (prototype !== null && prototype !== Object.prototype) {
    if (prototype === NDArray.prototype) return true;
    if (types.isProxy(prototype)) return false;
    prototype = Object.getPrototypeOf(prototype) as object | null;
  }
  return false;
}
