/** Records in a cell's code which declarations have run: a cell that fails declares only the names that it reached. */

import type * as acorn from 'acorn';
import type { Variable } from 'eslint-scope';

/** Expressions that are never undefined: their values show that the name was assigned. */
const ALWAYS_VALUES = new Set<acorn.Expression['type']>([
  ...(['Literal', 'TemplateLiteral', 'ObjectExpression', 'ArrayExpression', 'NewExpression'] as const),
  ...(['FunctionExpression', 'ArrowFunctionExpression', 'ClassExpression'] as const)
]);

export class ReachedNames {
  /** Names by the start of their declarator. */
  readonly #declared = new Map<number, string[]>();
  readonly #reachedAt = new Map<string, number>();
  #count = 0;

  /** Constructs the record. `isHoisted` returns whether a `var` of this name exists from the start of the cell. */
  constructor(variables: readonly Variable[], isHoisted: (name: string) => boolean) {
    for (const { name, defs } of variables) {
      for (const { type, node, parent } of defs) {
        if (type !== 'Variable') continue;
        const { start } = node as unknown as acorn.VariableDeclarator;
        this.#declared.set(start, [...(this.#declared.get(start) ?? []), name]);
        if ((parent as { kind?: string } | null)?.kind === 'var' && isHoisted(name))
          this.#reachedAt.set(name, 0);
      }
    }
  }

  /** Returns code that follows the assignment of a declared variable, and records it; empty if its value is enough. */
  mark({ start, id, init }: acorn.VariableDeclarator): string {
    if (id.type === 'Identifier' && init && ALWAYS_VALUES.has(init.type)) return '';
    this.#count += 1;
    for (const name of this.#declared.get(start) ?? []) this.#reachedAt.set(name, this.#count);
    return `, __stridelab.at = ${this.#count}`;
  }

  /** Returns the value of `__stridelab.at` from which on a name is declared; undefined if only its value can tell. */
  of(name: string): number | undefined {
    return this.#reachedAt.get(name);
  }
}
