/** Keeps `index`, `label` and `value` of a selection consistent, whichever of them changed. */

import { inspect } from 'node:util';
import { sameValue } from '../model/values.ts';
import { optionsOf, type Option, type SelectionOptions } from './options.ts';

interface Common {
  options: SelectionOptions;
  _options_labels: readonly string[];
}

export interface One extends Common {
  index: number | null;
  label: string | null;
  value: unknown;
}

export interface Many extends Common {
  index: readonly number[];
  label: readonly string[];
  value: readonly unknown[];
}

/** Keeps one choice, or none. New options select the first one, unless none was selected. */
export function settleOne(values: One, changed: ReadonlySet<string>, what: string): void {
  const options = optionsOf(values.options);
  const first = options.length > 0 ? 0 : null;
  if (changed.has('value')) values.index = valueIndex(options, values.value, what);
  else if (changed.has('label')) values.index = labelIndex(options, values.label, what);
  else if (changed.has('index')) checkIndex(options, values.index, what);
  // During construction, the labels do not exist yet.
  else if (changed.has('options') && (values.index !== null || values._options_labels.length === 0))
    values.index = first;
  const chosen = values.index === null ? undefined : options[values.index];
  values.label = chosen?.label ?? null;
  values.value = chosen === undefined ? null : chosen.value;
  values._options_labels = options.map(({ label }) => label);
}

/** Keeps any number of choices. New options select none. */
export function settleMany(values: Many, changed: ReadonlySet<string>, what: string): void {
  const options = optionsOf(values.options);
  if (changed.has('value')) values.index = values.value.map(item => valueIndex(options, item, what) ?? 0);
  else if (changed.has('label'))
    values.index = values.label.map(item => labelIndex(options, item, what) ?? 0);
  else if (changed.has('index')) for (const index of values.index) checkIndex(options, index, what);
  else if (changed.has('options')) values.index = [];
  takeChosen(values, options);
}

/** Keeps the two ends of a range of the options. */
export function settleRange(values: Many, changed: ReadonlySet<string>, what: string): void {
  const options = optionsOf(values.options);
  if (options.length === 0) throw new RangeError(`${what}.options must have at least one option`);
  if (changed.has('options') && !['value', 'label', 'index'].some(name => changed.has(name)))
    values.index = [0, 0];
  else settleMany(values, changed, what);
  const [lower, upper, ...rest] = values.index;
  if (lower === undefined || upper === undefined || rest.length > 0)
    throw new RangeError(
      `${what}.value must be two options, the ends of a range, not ${values.index.length}`
    );
  if (lower > upper) values.index = [upper, lower];
  takeChosen(values, options);
}

function takeChosen(values: Many, options: readonly Option[]): void {
  const chosen = values.index.map(index => options[index]!);
  values.label = chosen.map(({ label }) => label);
  values.value = chosen.map(({ value }) => value);
  values._options_labels = options.map(({ label }) => label);
}

function valueIndex(options: readonly Option[], value: unknown, what: string): number | null {
  const index = options.findIndex(option => sameValue(option.value, value));
  if (index >= 0) return index;
  if (value === null || value === undefined) return null;
  throw new RangeError(`${what}.value must be one of the options ${offered(options)}, not ${inspect(value)}`);
}

function labelIndex(options: readonly Option[], label: string | null, what: string): number | null {
  if (label === null) return null;
  const index = options.findIndex(option => option.label === label);
  if (index >= 0) return index;
  throw new RangeError(`${what}.label must be one of the options ${offered(options)}, not ${label}`);
}

function checkIndex(options: readonly Option[], index: number | null, what: string): void {
  if (index === null || (index >= 0 && index < options.length)) return;
  throw new RangeError(`${what}.index must be from 0 to ${options.length - 1}, not ${index}`);
}

function offered(options: readonly Option[]): string {
  const labels = options.slice(0, 10).map(({ label }) => label);
  return labels.join(', ') + (options.length > labels.length ? ', …' : '');
}
