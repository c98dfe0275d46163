/**
 * Writes an outline as a tree of folds, which needs no script: it can be saved, and is readable where styles are removed. Colours are
 * those of the page's editors.
 */

import { randomUUID } from 'node:crypto';

import { cut, shorten } from '../base/short-texts.ts';
import { escapeContent } from './escape.ts';
import { keyText, leafText, moreText, stubText, wordsText } from './leaf-text.ts';
import {
  MAX_ENTRIES,
  maxStringOf,
  type Contents,
  type Entry,
  type Group,
  type Leaf,
  type Outline
} from './outline.ts';

/** The maximum of bytes: a notebook with many results must not grow by megabytes. */
export const MAX_HTML = 65_536;
/** The tree of fewer entries is not tried. */
const MIN_ENTRIES = 5;
/** Maximum lengths of strings: the less, the more there are. */
const MAX_STRINGS = [10_000, 1_000, 300, 100, 50];

/** Folds are open at first while the tree has at most so many lines. */
const OPEN_LINES = 20;
const WIDTH = 100;
/** A longer text is folded. */
const LINE = 300;
/** The maximum length of another text than a string, such as that of an inspect method. */
const MAX_TEXT = 10_000;
const PREVIEW = 70;
const SHORT = 40;
/** The number of items in a preview. */
const FEW = 5;
/** A level at which objects write one line about themselves. */
const DEEP = 3;

const ROOT =
  'font-family:monospace;font-family:var(--jp-code-font-family,monospace);font-size:var(--jp-code-font-size,13px);white-space:pre-wrap';
const LIST = 'list-style:none;margin:0;padding-left:2.4em';
const FOLD = 'margin-left:-1.2em';
const PRE = 'margin:0;white-space:pre-wrap;padding-left:1.2em';

/** Writes the tree of a group that is the root of the contents. */
export function outlineHtml(root: Group, contents: Contents): string {
  const maxString = maxStringOf(contents, MAX_STRINGS, MAX_HTML / 2);
  for (let entries = MAX_ENTRIES; entries >= MIN_ENTRIES;) {
    const html = new Tree(root, entries, maxString).html();
    const bytes = Buffer.byteLength(html);
    if (bytes <= MAX_HTML) return html;
    entries = Math.floor(entries * Math.min(0.8, MAX_HTML / bytes));
  }
  return `<pre>${escapeContent(stubText(root))}</pre>`;
}

class Tree {
  readonly #root: Group;
  readonly #maxEntries: number;
  readonly #maxString: number;
  readonly #open: ReadonlySet<Group>;
  readonly #path: Group[] = [];
  /** Names of the groups that contain themselves, by which the page scrolls to them. */
  readonly #names = new Map<Group, string>();
  readonly #named = new Set<Group>();
  /** Shared objects are written each time, so that there may be more entries than the outline has. */
  #left: number;

  constructor(root: Group, maxEntries: number, maxString: number) {
    this.#root = root;
    this.#maxEntries = maxEntries;
    this.#maxString = maxString;
    this.#left = maxEntries;
    this.#open = this.#openAtFirst();
  }

  html(): string {
    return `<div style="${ROOT}">${this.#group(this.#root, '', 0)}</div>`;
  }

  /** Returns the entries that are shown; undefined for a group of which only the size is. */
  #entries(group: Group): readonly Entry[] | undefined {
    if (group === this.#root) return group.entries?.slice(0, this.#maxEntries);
    return group.through <= this.#maxEntries ? group.entries : undefined;
  }

  /** Opens level by level. */
  #openAtFirst(): Set<Group> {
    const open = new Set<Group>();
    let lines = 0;
    for (let level = [this.#root]; level.length > 0;) {
      const entries = level.flatMap(group => this.#entries(group) ?? []);
      lines += entries.length;
      if (lines > OPEN_LINES && open.size > 0) break;
      for (const group of level) open.add(group);
      level = entries.flatMap(({ value }) => (value.kind === 'group' && !open.has(value) ? [value] : []));
    }
    return open;
  }

  #group(group: Group, label: string, level: number): string {
    const entries = this.#entries(group);
    if (entries === undefined || (level > 0 && this.#left < entries.length))
      return label + escapeContent(stubText(group));
    if (entries.length === 0) return `${label}${escapeContent(emptyText(group))}`;
    this.#left -= entries.length;
    this.#path.push(group);
    const isNumbered = isList(group.brackets) && !entries.some(isHole);
    const rows = entries.map(({ key, value }, index) => {
      const shownKey = key ?? (isNumbered ? String(index) : undefined);
      return `<li>${this.#value(value, shownKey === undefined ? '' : this.#label(shownKey), level + 1)}</li>`;
    });
    this.#path.pop();
    const more = moreText(group.more + (group.entries!.length - entries.length), group.noun);
    if (more !== '') rows.push(`<li><i>${more}</i></li>`);
    const isOpen = this.#open.has(group);
    const head = isOpen ? titleText(group) : this.#preview(group, entries);
    const name = this.#nameOnce(group);
    const id = name === undefined ? '' : ` id="${name}"`;
    const style = level === 0 ? '' : ` style="${FOLD}"`;
    return (
      `<details${id}${style}${isOpen ? ' open' : ''}><summary>${label}${escapeContent(head)}</summary>` +
      `<ul style="${LIST}">${rows.join('')}</ul></details>`
    );
  }

  #label(key: string | symbol | Outline): string {
    return typeof key === 'object'
      ? `${escapeContent(this.#short(key))} =&gt; `
      : `${escapeContent(shorten(isIndex(key) ? key : keyText(key, false), LINE))}: `;
  }

  #value(value: Outline, label: string, level: number): string {
    if (value.kind === 'group')
      return this.#path.includes(value) ? label + this.#circular(value) : this.#group(value, label, level);
    const text = value.kind === 'words' ? wordsText(value, false) : this.#leaf(value, level);
    if (text.length <= LINE && !text.includes('\n')) return label + colored(value, text);
    const head = value.kind === 'leaf' && !(value.value instanceof Error) ? this.#headOf(value, level) : text;
    const body =
      value.kind === 'leaf' && typeof value.value === 'string'
        ? cut(value.value, this.#maxString)
        : cut(text, MAX_TEXT);
    return (
      `<details style="${FOLD}"><summary>${label}${escapeContent(firstLine(head))}</summary>` +
      `<pre style="${PRE}">${escapeContent(body)}</pre></details>`
    );
  }

  #leaf(value: Leaf, level: number): string {
    return leafText(value, { colors: false, level, width: WIDTH, maxString: this.#maxString });
  }

  #headOf(value: Leaf, level: number): string {
    return leafText(value, { colors: false, level, width: Infinity, maxString: SHORT, maxItems: FEW });
  }

  #circular(group: Group): string {
    const name = this.#names.get(group) ?? `circular-${randomUUID().slice(0, 8)}`;
    this.#names.set(group, name);
    return `<a href="#${name}">[Circular *${[...this.#names.keys()].indexOf(group) + 1}]</a>`;
  }

  /** Returns the name of a group where it is written first: names are unique in a page. */
  #nameOnce(group: Group): string | undefined {
    const name = this.#names.get(group);
    if (name === undefined || this.#named.has(group)) return undefined;
    this.#named.add(group);
    return name;
  }

  /** Writes the first entries on one line, groups among them without their entries. */
  #preview({ prefix, brackets, more }: Group, entries: readonly Entry[]): string {
    let text = '';
    let count = 0;
    for (const { key, value } of entries) {
      const name =
        typeof key === 'object'
          ? `${this.#short(key)} => `
          : key === undefined
            ? ''
            : `${keyText(key, false)}: `;
      const next = `${count === 0 ? '' : ', '}${shorten(name, SHORT)}${this.#short(value)}`;
      if (text.length + next.length > PREVIEW) break;
      text += next;
      count += 1;
    }
    const rest = count < entries.length || more > 0 ? `${count === 0 ? '' : ', '}…` : '';
    return `${prefix === '' ? listSize(brackets, entries.length + more) : `${prefix} `}${brackets[0]} ${text}${rest} ${brackets[1]}`;
  }

  #short(value: Outline): string {
    if (value.kind === 'group') return value.entries?.length === 0 ? emptyText(value) : closedText(value);
    if (value.kind === 'words') return shorten(firstLine(value.text), SHORT);
    return shorten(firstLine(this.#headOf(value, DEEP)), SHORT);
  }
}

const isHole = ({ value }: Entry): boolean => value.kind === 'words' && value.style === 'undefined';
const isIndex = (key: string | symbol): key is string => typeof key === 'string' && /^\d+$/.test(key);
const isList = ([open]: Group['brackets']): boolean => open === '[';
const listSize = (brackets: Group['brackets'], size: number): string =>
  isList(brackets) ? `(${size}) ` : '';

function titleText(group: Group): string {
  if (group.prefix !== '') return group.prefix;
  return isList(group.brackets) ? `Array(${String(group.size)})` : 'Object';
}

const emptyText = ({ prefix, brackets }: Group): string =>
  `${prefix}${prefix === '' ? '' : ' '}${brackets.join('')}`;

const closedText = (group: Group): string =>
  group.prefix === '' && !isList(group.brackets) ? '{…}' : titleText(group);

function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1);
  return line.length < text.length || line.length > PREVIEW ? `${line.slice(0, PREVIEW)}…` : line;
}

const COLORS: Readonly<Partial<Record<string, string>>> = {
  string: 'string',
  number: 'number',
  bigint: 'number',
  boolean: 'keyword',
  undefined: 'keyword'
};

function colored(value: Outline, text: string): string {
  const kind = value.kind === 'leaf' ? kindOf(value) : undefined;
  const content = escapeContent(text);
  return kind === undefined
    ? content
    : `<span style="color:var(--jp-mirror-editor-${kind}-color)">${content}</span>`;
}

const kindOf = ({ value }: Leaf): string | undefined => (value === null ? 'keyword' : COLORS[typeof value]);
