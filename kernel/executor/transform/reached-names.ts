/** Records in a cell's code which declarations have run: a cell that fails declares only the names that it reached. */

import type * as acorn from 'acorn';
import type { Variable } from 'eslint-scope';

/** Expressions that are never undefined: their values show that the name was assigned. */
const ALWAYS_VALUES = new Set<acorn.Expression['type']>([
  ...(['Literal', 'TemplateLiteral', 'ObjectExpression', 'ArrayExpression', 'NewExpression'] as const),
  ...(['FunctionExpression', 'ArrowFunctionExpression', 'ClassExpression'] as const)
]);

export class ReachedNames {
  readonly #variables: readonly Variable[];
  readonly #reachedAt = new Map<string, number>();
  #count = 0;

  /** Constructs the record. `isHoisted` returns whether a `var` of this name exists from the start of the cell. */
  constructor(variables: readonly Variable[], isHoisted: (name: string) => boolean) {
    this.#variables = variables;
    for (const { name, defs } of variables)
      if (isHoisted(name) && defs.some(({ parent }) => kindOf(parent) === 'var'))
        this.#reachedAt.set(name, 0);
  }

  /** Returns code that follows the assignment of a declared variable, and records it; empty if its value is enough. */
  mark({ start, id, init }: acorn.VariableDeclarator): string {
    if (id.type === 'Identifier' && init && ALWAYS_VALUES.has(init.type)) return '';
    this.#count += 1;
    for (const { name, defs } of this.#variables) {
      const declares = defs.some(({ node }) => (node as { start?: number } | null)?.start === start);
      if (declares) this.#reachedAt.set(name, this.#count);
    }
    return `, __stridelab.at = ${this.#count}`;
  }

  /** Returns the value of `__stridelab.at` from which on a name is declared; undefined if only its value can tell. */
  of(name: string): number | undefined {
    return this.#reachedAt.get(name);
  }
}

function kindOf(parent: unknown): string | undefined {
  return (parent as { kind?: string } | null | undefined)?.kind;
}
