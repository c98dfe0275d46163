/** Traits of properties that hold other widgets. */

import { inspect } from 'node:util';
import { markMadeForHolder, packReferences, unpackReferences } from './references.ts';
import type { Trait } from './traits.ts';
import { isPlainObject } from './values.ts';
import type { Widget } from './widget.ts';

type WidgetConstructor<Instance> = new (options?: object) => Instance;

function checked<Instance extends Widget<object>>(
  value: unknown,
  what: string,
  type: abstract new (...parameters: never[]) => Instance
): Instance {
  if (value instanceof type) return value;
  throw new TypeError(`${what} must be a ${type.name}, not ${inspect(value, { depth: 0 })}`);
}

/** Returns the trait of a widget of a class, or of options to create one; initially a new widget. */
export function reference<Instance extends Widget<object>>(
  type: () => WidgetConstructor<Instance>
): Trait<Instance> {
  const make = (options?: object): Instance => {
    const made = new (type())(options);
    markMadeForHolder(made);
    return made;
  };
  return {
    initial: () => make(),
    check: (value, what) => (isPlainObject(value) ? make(value) : checked(value, what, type())),
    toJson: packReferences,
    fromJson: unpackReferences
  };
}

export function references<Instance extends Widget<object>>(
  type: () => abstract new (...parameters: never[]) => Instance
): Trait<readonly Instance[]> {
  return {
    initial: () => [],
    check: (value, what) => {
      if (typeof value !== 'object' || value === null || !(Symbol.iterator in value))
        throw new TypeError(`${what} must be a list of widgets, not ${inspect(value, { depth: 0 })}`);
      return Object.freeze(
        Array.from(value as Iterable<unknown>, (item, index) => checked(item, `${what}[${index}]`, type()))
      );
    },
    toJson: packReferences,
    fromJson: unpackReferences
  };
}
