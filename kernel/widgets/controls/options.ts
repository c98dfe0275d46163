/** Options of a selection: values, pairs of label and value, or an object of labels and values. */

import { trait, type Trait } from '../model/traits.ts';
import { isPlainObject } from '../model/values.ts';

/** The options of a selection: a list of values, a list of [label, value] pairs, or an object of values by label. */
export type SelectionOptions =
  readonly unknown[] | readonly (readonly [string, unknown])[] | Readonly<Record<string, unknown>>;

/** The type of the values of a set of options. */
export type OptionValue<Options> = Options extends readonly (readonly [string, infer Value])[]
  ? Value
  : Options extends readonly (infer Value)[]
    ? Value
    : Options[keyof Options];

export interface Option {
  readonly label: string;
  readonly value: unknown;
}

export function optionsOf(options: SelectionOptions): Option[] {
  if (!Array.isArray(options))
    return Object.entries(options).map(([label, value]): Option => ({ label, value }));
  const list = options as readonly unknown[];
  return list.length > 0 && list.every(isPair)
    ? list.map(([label, value]) => ({ label: String(label), value }))
    : list.map(value => ({ label: labelOf(value), value }));
}

function isPair(item: unknown): item is readonly [unknown, unknown] {
  return Array.isArray(item) && item.length === 2;
}

function labelOf(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
}

/** Returns the trait of options, kept as they were given; a list or a map is copied. */
export function selectionOptions(): Trait<SelectionOptions> {
  return trait<SelectionOptions>(
    () => [],
    (value, what) => {
      if (value instanceof Map) return [...(value as Map<string, unknown>)];
      if (typeof value === 'object' && value !== null && Symbol.iterator in value)
        return Object.freeze(Array.from(value as Iterable<unknown>));
      if (isPlainObject(value)) return Object.freeze({ ...value });
      throw new TypeError(
        `${what} must be a list of values, a list of [label, value] pairs, or an object of labels and values`
      );
    }
  );
}
