/** The names that a running cell declares. */

import { uninterrupted } from '../context/critical-section.ts';
import type { DeclaredName } from '../transform/compile-cell.ts';
import type { NotebookNames } from '../transform/names.ts';

export class DeclaredNames {
  readonly #names: NotebookNames;
  readonly #declared: readonly DeclaredName[];
  /** Values before the cell started. Objects are held weakly, so that a value that the cell replaces can be collected. */
  readonly #before: readonly unknown[];
  #reached: readonly string[] | undefined;
  /** Number of the declaration that ran last; the cell sets it as `__stridelab.at`. */
  at = 0;

  constructor(names: NotebookNames, declared: readonly DeclaredName[]) {
    this.#names = names;
    this.#declared = declared;
    this.#before = declared.map(({ earlier: { name } }) => held(names.value(name)));
  }

  /** Called when the cell has failed: names that it did not reach become what they were before. Returns the others. */
  fail(): readonly string[] {
    return (this.#reached ??= uninterrupted(() => this.#restore()));
  }

  #restore(): string[] {
    return this.#declared.flatMap(({ earlier, reachedAt = Infinity }, index) => {
      if (reachedAt <= this.at || this.#isAssigned(earlier.name, this.#before[index])) return [earlier.name];
      this.#names.restore(earlier);
      return [];
    });
  }

  #isAssigned(name: string, before: unknown): boolean {
    if (!this.#names.has(name)) return false;
    const old: unknown = before instanceof WeakRef ? before.deref() : before;
    const isCollected = before instanceof WeakRef && old === undefined;
    return isCollected || !Object.is(this.#names.value(name), old);
  }
}

function held(value: unknown): unknown {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  return isObject ? new WeakRef(value) : value;
}
