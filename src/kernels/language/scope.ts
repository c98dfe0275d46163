/** Names in sight at a place of a kernel. Pure. */

import type { Spot } from './source-text.ts';
import type { Binding } from './values.ts';

type FindOutside = (name: string, place: Spot) => Binding | undefined;

export class Scope {
  readonly parent: Scope | null;
  readonly #names = new Map<string, Binding>();
  /** Finds names that the kernel captures; only the outermost scope of a function has one. */
  readonly #outside: FindOutside | null;

  constructor(parent: Scope | null, outside: FindOutside | null = null) {
    this.parent = parent;
    this.#outside = outside;
  }

  declare(name: string, binding: Binding): void {
    this.#names.set(name, binding);
  }

  /** Returns whether this scope itself declares the name. */
  has(name: string): boolean {
    return this.#names.has(name);
  }

  /** Finds a name that stands at a place. */
  find(name: string, place: Spot): Binding | undefined {
    return this.#names.get(name) ?? this.parent?.find(name, place) ?? this.#outside?.(name, place);
  }
}
