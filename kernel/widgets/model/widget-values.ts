/** The values of one widget: changes are validated together, and applied only if all are valid. */

import { isMadeForHolder, isReferable } from './references.ts';
import type { Trait } from './traits.ts';
import { sameValue } from './values.ts';
import type { Settle, WidgetSpec } from './widget-spec.ts';

export interface ValueChange {
  readonly name: string;
  readonly old: unknown;
  readonly new: unknown;
}

type Values = Record<string, unknown>;

export class WidgetValues {
  readonly #what: string;
  readonly #traits: Readonly<Record<string, Trait<unknown>>>;
  readonly #settle: Settle<Values>;
  #values: Values;

  /** Sets the initial values. Throws for an option that is unknown or refused by its property. */
  constructor(what: string, spec: WidgetSpec<object>, settle: Settle<Values>, options: Values) {
    this.#what = what;
    this.#traits = spec.traits as Readonly<Record<string, Trait<unknown>>>;
    this.#settle = settle;
    const values: Values = {};
    this.#values = values;
    try {
      for (const [name, value] of Object.entries(options)) {
        const trait = this.#trait(name);
        if (value !== undefined) values[name] = trait.check(value, `${what}.${name}`);
      }
      const given = new Set(Object.keys(values));
      for (const [name, trait] of Object.entries(this.#traits)) {
        if (!(name in values)) values[name] = trait.initial();
      }
      settle(values, given, what);
    } catch (error) {
      for (const value of Object.values(values)) if (isMadeForHolder(value)) value.close();
      throw error;
    }
  }

  get names(): string[] {
    return Object.keys(this.#traits);
  }

  /** Names of the properties that are synchronized with the page. */
  get syncedNames(): string[] {
    return this.names.filter(name => this.isSynced(name));
  }

  get(name: string): unknown {
    return this.#values[name];
  }

  isSynced(name: string): boolean {
    return Object.hasOwn(this.#traits, name) && this.#traits[name]?.local !== true;
  }

  isEchoed(name: string): boolean {
    return this.isSynced(name) && this.#traits[name]?.echo !== false;
  }

  /** Applies a cell's assignments; returns the values that changed. */
  assign(changes: Values): ValueChange[] {
    const checked: Values = {};
    for (const [name, value] of Object.entries(changes)) {
      const trait = this.#trait(name);
      if (trait.readOnly === true)
        throw new TypeError(`${this.#what}.${name} is read-only: the page sets it`);
      checked[name] = trait.check(value, `${this.#what}.${name}`);
    }
    return this.#commit(checked);
  }

  /** Applies values from the page. Throws for a value that its property refuses; ignores unknown keys. */
  receive(state: Values): ValueChange[] {
    const checked: Values = {};
    for (const [name, json] of Object.entries(state)) {
      if (!this.isSynced(name)) continue;
      const trait = this.#trait(name);
      checked[name] = trait.check(trait.fromJson(json), `${this.#what}.${name}`);
    }
    return this.#commit(checked);
  }

  json(name: string): unknown {
    return this.#trait(name).toJson(this.#values[name]);
  }

  /** Returns whether a value is the property's initial value; false for a widget, whose properties may have changed. */
  isInitial(name: string): boolean {
    const value = this.#values[name];
    return !isReferable(value) && sameValue(value, this.#trait(name).initial());
  }

  #trait(name: string): Trait<unknown> {
    const trait = Object.hasOwn(this.#traits, name) ? this.#traits[name] : undefined;
    if (trait === undefined)
      throw new TypeError(`${this.#what} has no property "${name}"; it has ${this.names.join(', ')}`);
    return trait;
  }

  #commit(checked: Values): ValueChange[] {
    const before = this.#values;
    const after = { ...before, ...checked };
    this.#settle(after, new Set(Object.keys(checked)), this.#what);
    const changes: ValueChange[] = [];
    for (const name of Object.keys(after)) {
      if (!sameValue(before[name], after[name])) changes.push({ name, old: before[name], new: after[name] });
    }
    // A list assigned with equal items is not replaced, so that equal values are identical.
    if (changes.length > 0) this.#values = after;
    return changes;
  }
}
