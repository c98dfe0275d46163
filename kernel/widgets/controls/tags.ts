/** Lists that users enter item by item. */

import { widgetClass } from '../model/widget-class.ts';
import * as specs from './tags.generated.ts';

interface Tags {
  value: readonly (string | number)[];
  allowed_tags: readonly (string | number)[];
  allow_duplicates: boolean;
  min?: number | null;
  max?: number | null;
}

function keepTags(values: Tags, changed: ReadonlySet<string>, what: string): void {
  const { value, allowed_tags: allowed, allow_duplicates: duplicates, min = null, max = null } = values;
  if (!changed.has('value')) return;
  for (const tag of value) {
    if (tag === '') throw new RangeError(`${what}.value must not have empty entries`);
    if (allowed.length > 0 && !allowed.includes(tag))
      throw new RangeError(`${what}.value may contain ${allowed.join(', ')}, not ${tag}`);
    if (typeof tag === 'number' && ((min !== null && tag < min) || (max !== null && tag > max)))
      throw new RangeError(`${what}.value must be from ${min ?? '-∞'} to ${max ?? '∞'}, not ${tag}`);
  }
  const repeated = value.find((tag, index) => value.indexOf(tag) !== index);
  if (!duplicates && repeated !== undefined)
    throw new RangeError(`${what}.value must not contain ${repeated} twice: allow_duplicates is false`);
}

/** A list of words. */
export class TagsInput extends widgetClass(specs.tagsInputSpec, keepTags) {}

/** A list of colours. */
export class ColorsInput extends widgetClass(specs.colorsInputSpec, keepTags) {}

/** A list of whole numbers. */
export class IntsInput extends widgetClass(specs.intsInputSpec, keepTags) {}

/** A list of numbers. */
export class FloatsInput extends widgetClass(specs.floatsInputSpec, keepTags) {}
