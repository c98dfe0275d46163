/** Names in sight at a place of a kernel. Pure. */

import type { Binding } from './values.ts';

export class Scope {
  readonly parent: Scope | null;
  readonly #names = new Map<string, Binding>();
  /** Finds names that the kernel captures; only the outermost scope of a function has one. */
  readonly #outside: ((name: string) => Binding | undefined) | null;

  constructor(parent: Scope | null, outside: ((name: string) => Binding | undefined) | null = null) {
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

  find(name: string): Binding | undefined {
    return this.#names.get(name) ?? this.parent?.find(name) ?? this.#outside?.(name);
  }
}
