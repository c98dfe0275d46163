/**
 * Reads what a value contains, within a budget, so that text and trees of it are bounded. Breadth first: what is near the root is read
 * before what is deep. Calls no accessors.
 */

import { types } from 'node:util';

import { attempt, contentOf, isWords, MAX_ITEMS, MAX_PROPERTIES, type Content } from './outline-content.ts';

/** A value that is written as a whole: a primitive, a date, an array of primitives. */
export interface Leaf {
  readonly kind: 'leaf';
  readonly value: unknown;
  /** The class and the size of a library's list, whose values are in an array. */
  readonly prefix?: string;
}

/** Text in place of a value. */
export interface Words {
  readonly kind: 'words';
  readonly text: string;
  /** The style of Node's `inspect`. */
  readonly style: 'special' | 'undefined' | undefined;
}

/** A value with entries. */
export interface Group {
  readonly kind: 'group';
  /** The class and the size, such as `Map(2)`; empty for plain objects and arrays. */
  readonly prefix: string;
  readonly brackets: readonly [string, string];
  /** The class alone. */
  readonly name: string;
  readonly noun: 'item' | 'entry' | 'property';
  /** The number of entries; undefined if only reading all of them would tell. */
  readonly size: number | undefined;
  /** Whether it is an object of a class, neither data nor a collection. */
  readonly isInstance: boolean;
  /** The entries that were read; undefined if the budget was used up before. */
  entries: readonly Entry[] | undefined;
  /** The number of further entries; infinite if it is unknown. */
  more: number;
  /** Entries read of all groups up to this one. */
  through: number;
}

export interface Entry {
  /** A property's name or a map's key; undefined for items of a list. */
  readonly key: string | symbol | Outline | undefined;
  readonly value: Outline;
}

export type Outline = Leaf | Words | Group;

/** The maximum number of entries that an outline has. */
export const MAX_ENTRIES = 2_000;
/** Deeper groups are not read: no page or terminal has room for them. */
const MAX_LEVELS = 50;

/** What was read of a value. */
export interface Contents {
  readonly root: Outline;
  /** The lengths of the strings. */
  readonly strings: readonly number[];
}

/** Reads a value. It fails for no value: parts that throw are leaves. */
export function readContents(value: unknown): Contents {
  return new Reader().read(value);
}

/** Returns the greatest of some maximum lengths of strings with which all of them have at most so many characters, or the smallest. */
export function maxStringOf({ strings }: Contents, maxima: readonly number[], characters: number): number {
  const fits = (maximum: number): boolean =>
    strings.reduce((sum, length) => sum + Math.min(length, maximum), 0) <= characters;
  return maxima.find(fits) ?? maxima.at(-1)!;
}

class Reader {
  readonly #known = new Map<object, Outline>();
  readonly #waiting: (readonly [Group, Content, number])[] = [];
  readonly #strings: number[] = [];
  #left = MAX_ENTRIES;

  read(value: unknown): Contents {
    const root = this.#outline(value, 0);
    for (const [group, content, level] of this.#waiting) {
      const limit = content.noun === 'property' ? MAX_PROPERTIES : MAX_ITEMS;
      const needed = Math.min(content.size ?? limit, limit);
      if (needed > this.#left || level > MAX_LEVELS) continue;
      group.entries = this.#entries(content, needed, level + 1);
      group.more =
        content.size !== undefined ? content.size - needed : group.entries.length < limit ? 0 : Infinity;
      this.#left -= needed;
      group.through = MAX_ENTRIES - this.#left;
    }
    return { root, strings: this.#strings };
  }

  #entries({ read, isMap = false }: Content, limit: number, level: number): Entry[] {
    return attempt(() => read(limit), []).map(([key, value]) => ({
      key: isMap ? this.#outline(key, level) : (key as string | symbol | undefined),
      value: isWords(value) ? value : this.#outline(value, level)
    }));
  }

  #outline(value: unknown, level: number): Outline {
    if (typeof value === 'string') this.#strings.push(value.length);
    if (typeof value !== 'object' || value === null) return { kind: 'leaf', value };
    const known = this.#known.get(value);
    if (known !== undefined) return known;
    const content = attempt(() => contentOf(value), undefined) ?? ({ kind: 'leaf', value } as const);
    if ('kind' in content) {
      if (content.kind === 'leaf') this.#strings.push(...stringLengths(content.value));
      this.#known.set(value, content);
      return content;
    }
    const group: Group = { kind: 'group', ...content, entries: undefined, more: 0, through: Infinity };
    this.#known.set(value, group);
    this.#waiting.push([group, content, level]);
    return group;
  }
}

/** Returns the lengths of the strings in an array that is written as a whole. */
function stringLengths(value: unknown): number[] {
  if (types.isProxy(value) || !Array.isArray(value)) return [];
  return value.slice(0, MAX_ITEMS).flatMap(item => (typeof item === 'string' ? [item.length] : []));
}
