/** Determines which of its names an interrupted or failed cell has assigned, from their values before and after. */

import type { NotebookNames } from '../transform/names.ts';

export class AssignedNames {
  readonly #names: NotebookNames;
  /** Objects are held weakly, so that a value that the cell replaces can be collected. */
  readonly #before = new Map<string, unknown>();

  /** Records the current values; called when the cell was compiled and has not started. */
  constructor(names: NotebookNames) {
    this.#names = names;
    for (const name of names.declaredLast) this.#before.set(name, held(names.value(name)));
  }

  /** Returns the assigned names. A name with an unchanged value is left out, even if it was assigned that value again. */
  list(): string[] {
    return [...this.#before].flatMap(([name, before]) => {
      const old: unknown = before instanceof HeldObject ? before.reference.deref() : before;
      const gone = before instanceof HeldObject && old === undefined;
      return gone || !Object.is(this.#names.value(name), old) ? [name] : [];
    });
  }
}

class HeldObject {
  readonly reference: WeakRef<object>;

  constructor(object: object) {
    this.reference = new WeakRef(object);
  }
}

function held(value: unknown): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? new HeldObject(value) : value;
}
