/** Text of values that are written as a whole, and of keys, in the format of Node's `inspect`. */

import { inspect, stripVTControlCharacters, types, type InspectOptions } from 'node:util';

import { notebookHost } from './host.ts';
import { MAX_ITEMS } from './outline-content.ts';
import type { Group, Leaf, Words } from './outline.ts';

export interface LeafOptions {
  readonly colors: boolean;
  /** How deep the value is inside the shown one. */
  readonly level: number;
  /** The characters of a line. */
  readonly width: number;
  /** The maximum length of a string. */
  readonly maxString: number;
  /** The maximum number of items of an array, a map or a set. */
  readonly maxItems?: number;
}

/** The depth that `inspect` gives by default, which the inspect methods of objects expect. */
const DEPTH = 2;

type InspectMethod = (depth: number, options: InspectOptions, format: typeof inspect) => unknown;

export function leafText(
  { value, prefix = '' }: Leaf,
  { colors, level, width, maxString, maxItems = MAX_ITEMS }: LeafOptions
): string {
  if (types.isNativeError(value)) {
    const described = notebookHost()?.describeError?.(value);
    if (described !== undefined) return described;
  }
  const depth = Math.max(0, DEPTH - level);
  const options = { colors, breakLength: width, maxStringLength: maxString, maxArrayLength: maxItems };
  const method = level === 0 ? undefined : inspectMethod(value);
  if (method === undefined)
    return `${prefix}${prefix === '' ? '' : ' '}${inspect(value, { ...options, depth })}`;
  return inspect(
    {
      // A nested value is told its level, as if `inspect` had reached it.
      [inspect.custom]: (_depth: number, given: InspectOptions, format: typeof inspect) =>
        method(DEPTH - level, { ...given, depth: DEPTH }, format)
    },
    options
  );
}

function inspectMethod(value: unknown): InspectMethod | undefined {
  if (typeof value !== 'object' || value === null || types.isProxy(value)) return undefined;
  const method = (value as { [inspect.custom]?: unknown })[inspect.custom];
  return typeof method === 'function' ? (method.bind(value) as InspectMethod) : undefined;
}

/** Writes a property's name; quoted if it is no identifier. */
export function keyText(key: string | symbol, colors: boolean): string {
  return typeof key === 'string' && /^[a-z_]\w*$/i.test(key) ? key : inspect(key, { colors });
}

export function wordsText({ text, style }: Words, colors: boolean): string {
  return style === undefined ? text : styled(text, style, colors);
}

/** Writes a group without its entries: `[Array, 57 items]`. */
export function stubText({ name, size, noun }: Group): string {
  return `[${name || 'Object'}${size === undefined ? '' : `, ${counted(size, noun)}`}]`;
}

/** States how many entries of a group are left out; empty if none are. */
export function moreText(more: number, noun: Group['noun']): string {
  if (more === 0) return '';
  return more === Infinity ? `… more ${plural(noun)}` : `… ${counted(more, noun, 'more ')}`;
}

export function counted(count: number, noun: Group['noun'], more = ''): string {
  return `${count.toLocaleString('en')} ${more}${count === 1 ? noun : plural(noun)}`;
}

const plural = (noun: Group['noun']): string => (noun === 'item' ? 'items' : noun.replace(/y$/, 'ies'));

export function styled(text: string, style: 'special' | 'undefined', colors: boolean): string {
  if (!colors) return text;
  const [open, close] = inspect.colors[inspect.styles[style]]!;
  return `\x1b[${open}m${text}\x1b[${close}m`;
}

/** Returns the number of characters that a terminal shows. */
export const shownLength = (text: string, colors: boolean): number =>
  (colors ? stripVTControlCharacters(text) : text).length;
