/**
 * Objects with several names. Their fields are variables, which names share as long as none of them gets another object. If one does,
 * it holds a copy from its declaration on, and a change of a field that JavaScript would show under both names is refused. Pure.
 */

import type { Variable } from '../program/program.ts';
import type { Binding } from './values.ts';

interface Shared {
  readonly variable: Variable;
  /** The key of the object that shares it. */
  readonly key: string;
}

/** What is known at a place of the kernel while it is lowered. */
export class Aliases {
  /** Keys of the objects that hold copies; kept from one attempt to the next. */
  readonly #copying: Set<string>;
  /** Variables that names in sight share. */
  #shared: readonly Shared[] = [];
  /** A variable and its copy, both in sight. */
  #pairs: readonly (readonly [Variable, Variable])[] = [];
  /** Variables that an assignment copied, or copied to. */
  readonly #assigned = new Set<Variable>();
  /** The loops around each change of a field. */
  readonly #changes = new Map<Variable, (readonly number[])[]>();
  /** The number of loops around a variable's declaration. */
  readonly #depths = new Map<Variable, number>();
  #loops: readonly number[] = [];

  constructor(copying: Set<string>) {
    this.#copying = copying;
  }

  /** Runs `work` in a scope: names that it declares end with it. */
  within<T>(work: () => T): T {
    const [shared, pairs] = [this.#shared, this.#pairs];
    try {
      return work();
    } finally {
      this.#shared = shared;
      this.#pairs = pairs;
    }
  }

  /** Runs `work` in the rounds of a loop. */
  inLoop<T>(id: number, work: () => T): T {
    const before = this.#loops;
    this.#loops = [...before, id];
    try {
      return work();
    } finally {
      this.#loops = before;
    }
  }

  declare(variable: Variable): void {
    this.#depths.set(variable, this.#loops.length);
  }

  /** Returns whether the object of a declaration holds copies. */
  copies(key: string): boolean {
    return this.#copying.has(key);
  }

  share(variable: Variable, key: string): void {
    this.#shared = [...this.#shared, { variable, key }];
  }

  pair(variable: Variable, copy: Variable): void {
    this.#pairs = [...this.#pairs, [variable, copy]];
  }

  /** Lets an object be replaced: makes it a copy, or those that share its variables. Returns whether that is new. */
  replace(object: Binding, key: string | undefined): boolean {
    const variables = leavesOf(object);
    const sharing = this.#shared.filter(({ variable }) => variables.includes(variable));
    const own = sharing.filter(each => each.key === key || each.key.startsWith(`${key}.`));
    const before = this.#copying.size;
    for (const each of own.length > 0 ? own : sharing) this.#copying.add(each.key);
    return this.#copying.size > before;
  }

  /** Notes that an assignment gives an object a second name. Returns false if a change of a field in an earlier round belongs to both. */
  assign(to: Binding, from: Binding, counts: (variable: Variable) => boolean = () => true): boolean {
    if (to.kind === 'object' && from.kind === 'object')
      return [...to.fields].every(([name, field]) => {
        const given = from.fields.get(name);
        return given === undefined || this.assign(field, given, counts);
      });
    if (to.kind !== 'variable' || from.kind !== 'variable' || to.variable === from.variable) return true;
    if (!counts(from.variable)) return true;
    const found = this.#connected([to.variable, from.variable]);
    for (const variable of found) this.#assigned.add(variable);
    return !found.some(variable => this.#changesInRound(variable));
  }

  /** Notes a change of a field. Returns false if JavaScript would show it under another name too. */
  change(variable: Variable): boolean {
    this.#changes.set(variable, [...(this.#changes.get(variable) ?? []), this.#loops]);
    return !this.isCopied(variable);
  }

  /** Notes that an object in a field is replaced. Returns false if JavaScript might show that under another name too. */
  replaceField(field: Binding): boolean {
    const variables = leavesOf(field);
    const changed = variables.filter(variable => this.change(variable));
    return (
      changed.length === variables.length &&
      !this.#shared.some(({ variable }) => variables.includes(variable))
    );
  }

  isCopied(variable: Variable): boolean {
    return this.#assigned.has(variable) || this.#pairs.some(pair => pair.includes(variable));
  }

  #connected(variables: readonly Variable[]): Variable[] {
    const found = new Set(variables);
    for (const variable of found)
      for (const pair of this.#pairs) if (pair.includes(variable)) for (const each of pair) found.add(each);
    return [...found];
  }

  /** Returns whether a round of a loop around this place changed the variable, which is older than the round. */
  #changesInRound(variable: Variable): boolean {
    const depth = this.#depths.get(variable) ?? 0;
    const loop = this.#loops[depth];
    return loop !== undefined && (this.#changes.get(variable) ?? []).some(loops => loops[depth] === loop);
  }
}

/** Returns the variables of an object's fields, those of inner objects too. */
export function leavesOf(binding: Binding): Variable[] {
  if (binding.kind === 'variable') return [binding.variable];
  return binding.kind === 'object' ? [...binding.fields.values()].flatMap(leavesOf) : [];
}
