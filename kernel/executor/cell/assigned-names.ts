/** Which of its names a cell that did not come to its end has assigned, seen by their values before and after. */

import type { NotebookNames } from '../transform/names.ts';

export class AssignedNames {
  readonly #names: NotebookNames;
  /** Objects are held weakly: what the cell replaces must go when it is replaced. */
  readonly #before = new Map<string, unknown>();

  /** Made when the cell was compiled and has not begun to run. */
  constructor(names: NotebookNames) {
    this.#names = names;
    for (const name of names.declaredLast) this.#before.set(name, held(names.value(name)));
  }

  /** A name that has its old value is not among them, be it that the cell gave it the same again. */
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
