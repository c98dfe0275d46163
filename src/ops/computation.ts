/** An expression with the programs made of it, one for each type that it is stored as: what repeated calls share. Pure. */

import { buildProgram, type BuiltProgram, type Expression } from '../compute/program/expression.ts';
import type { ElementTypeName } from '../compute/program/element-types.ts';
import { cast } from './rules.ts';

export class Computation {
  /** Of the result where `out` names no other. */
  readonly type: ElementTypeName;
  readonly #expression: Expression;
  readonly #inputs: readonly ElementTypeName[];
  readonly #built = new Map<string, BuiltProgram>();

  constructor(expression: Expression, inputs: readonly ElementTypeName[]) {
    this.type = expression.type;
    this.#expression = expression;
    this.#inputs = inputs;
  }

  /** The program whose result has the type `own`; `allow` throws where that may not hold it. */
  storedAs(own: string, allow: (own: string, type: ElementTypeName) => ElementTypeName): BuiltProgram {
    const known = this.#built.get(own);
    if (known !== undefined) return known;
    const stored = own === this.type ? this.type : allow(own, this.type);
    const built = buildProgram(this.#inputs, [cast(this.#expression, stored)]);
    this.#built.set(own, built);
    return built;
  }
}
