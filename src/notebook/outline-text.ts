/** Writes an outline as text, in the format of Node's `inspect`. */

import { types } from 'node:util';

import { keyText, leafText, moreText, shownLength, stubText, styled, wordsText } from './leaf-text.ts';
import { type Entry, type Group, type Outline } from './outline.ts';

export interface TextOptions {
  readonly colors: boolean;
  /** The maximum length of a string. */
  readonly maxString: number;
}

/** The maximum number of entries; a tree may have more, because it is folded. */
const MAX_ENTRIES = 1_000;
const WIDTH = 80;
const INDENT = 2;
/** Objects of classes are written inside as many others; data of any depth is. */
const MAX_INSTANCES = 2;
/** A line has at most as many levels, and leaves as many characters free, as with `inspect`. */
const LEVELS_IN_LINE = 3;
const FREE = 10;

export function outlineText(outline: Outline, options: TextOptions): string {
  return new Writer(options).write(outline, 0, 0);
}

class Writer {
  readonly #options: TextOptions;
  readonly #path: Group[] = [];
  /** Numbers of the groups that contain themselves. */
  readonly #circular = new Map<Group, number>();
  /** The level of the last group that was written. */
  #latest = 0;
  /** Shared objects are written each time, so that there may be more entries than the outline has. */
  #left = MAX_ENTRIES;

  constructor(options: TextOptions) {
    this.#options = options;
  }

  write(outline: Outline, level: number, instances: number): string {
    if (outline.kind === 'group') return this.#group(outline, level, instances);
    const { colors } = this.#options;
    if (outline.kind === 'leaf' && isCollection(outline.value)) this.#latest = level;
    const indent = level * INDENT;
    const text =
      outline.kind === 'words'
        ? wordsText(outline, colors)
        : leafText(outline, { ...this.#options, level, width: WIDTH - indent });
    return text.replaceAll('\n', `\n${' '.repeat(indent)}`);
  }

  #group(group: Group, level: number, instances: number): string {
    const { colors } = this.#options;
    if (this.#path.includes(group)) {
      const number = this.#circular.get(group) ?? this.#circular.size + 1;
      this.#circular.set(group, number);
      return styled(`[Circular *${number}]`, 'special', colors);
    }
    const { entries, prefix, brackets, isInstance } = group;
    const isLeftOut = level > 0 && (group.through > MAX_ENTRIES || (isInstance && instances > MAX_INSTANCES));
    if (entries === undefined || this.#left < entries.length || isLeftOut)
      return styled(stubText(group), 'special', colors);
    const open = prefix === '' ? brackets[0] : `${prefix} ${brackets[0]}`;
    if (entries.length === 0) return open + brackets[1];
    this.#latest = level;
    this.#left -= entries.length;
    this.#path.push(group);
    const within = instances + (isInstance ? 1 : 0);
    const lines = entries.map(entry => this.#entry(entry, level + 1, within));
    this.#path.pop();
    const more = moreText(group.more, group.noun);
    if (more !== '') lines.push(more);
    const number = this.#circular.get(group);
    const reference = number === undefined ? '' : `${styled(`<ref *${number}>`, 'special', colors)} `;
    return this.#joined(lines, reference + open, brackets[1], level);
  }

  #entry({ key, value }: Entry, level: number, instances: number): string {
    const text = this.write(value, level, instances);
    if (key === undefined) return text;
    if (typeof key === 'object') return `${this.write(key, level, instances)} => ${text}`;
    return `${keyText(key, this.#options.colors)}: ${text}`;
  }

  #joined(lines: readonly string[], open: string, close: string, level: number): string {
    const indent = level * INDENT;
    if (this.#latest - level < LEVELS_IN_LINE && !lines.some(line => line.includes('\n'))) {
      const length = lines.reduce((sum, line) => sum + shownLength(line, this.#options.colors) + 2, 0);
      if (length + indent + shownLength(open, this.#options.colors) + FREE <= WIDTH)
        return `${open} ${lines.join(', ')} ${close}`;
    }
    const margin = `\n${' '.repeat(indent)}`;
    return `${open}${margin}  ${lines.join(`,${margin}  `)}${margin}${close}`;
  }
}

/** Returns true for an array, map or set of primitives that is not empty. */
function isCollection(value: unknown): boolean {
  if (types.isProxy(value)) return false;
  if (Array.isArray(value)) return value.length > 0;
  return (value instanceof Map || value instanceof Set) && value.size > 0;
}
