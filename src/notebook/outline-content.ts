/** What is inside a value of each kind: the entries of collections and objects, and what stands for other values. */

import { inspect, types } from 'node:util';

import { cut } from '../base/short-texts.ts';
import { isPlainObject } from './duck-types.ts';
import { libraryView, timerText, type LibraryCollection } from './library-values.ts';
import type { Group, Leaf, Words } from './outline.ts';

/** Maxima of one list, map or set, and of one object. */
export const MAX_ITEMS = 100;
export const MAX_PROPERTIES = 1_000;
/** The maximum length of a library's text. */
const MAX_WORDS = 10_000;
/** The maximum length of an array. */
const MAX_LENGTH = 2 ** 32 - 1;

export type Pair = readonly [key: unknown, value: unknown];

export interface Content extends Pick<
  Group,
  'prefix' | 'brackets' | 'name' | 'noun' | 'size' | 'isInstance'
> {
  /** Returns the first entries; a `Words` stands for itself. */
  read(limit: number): Pair[];
  /** Whether keys are values, as in a map. */
  readonly isMap?: boolean;
}

/** Objects of the program, so that no data can be taken for them. */
const allWords = new WeakSet();
export const isWords = (value: unknown): value is Words => allWords.has(value as object);

function words(text: string, style?: Words['style']): Words {
  const made: Words = { kind: 'words', text, style };
  allWords.add(made);
  return made;
}

export function attempt<Result>(work: () => Result, otherwise: Result): Result {
  try {
    return work();
  } catch {
    return otherwise;
  }
}

/** Returns the content of a value, or what stands for it; undefined if `inspect` writes the value as a whole. */
export function contentOf(value: object): Content | Words | Leaf | undefined {
  const timer = types.isProxy(value) ? undefined : attempt(() => timerText(value), undefined);
  if (timer !== undefined) return words(timer);
  if (inspect.custom in value || isWhole(value)) return undefined;
  // `inspect` reads the target of a Proxy, which may have an inspect method that is hidden here.
  if (types.isProxy(value) && (Array.isArray(value) || Object.keys(value).length <= MAX_ITEMS))
    return undefined;
  if (Array.isArray(value)) return listContent(value);
  if (types.isMap(value)) return mapContent(value);
  if (types.isSet(value)) return setContent(value);
  const isPlain = isPlainObject(value);
  const view = isPlain ? undefined : attempt(() => libraryView(value), undefined);
  if (typeof view === 'string') return words(cut(view, MAX_WORDS));
  return view === undefined ? objectContent(value, isPlain) : collectionContent(view);
}

/** Returns true for objects whose content is not their properties. */
function isWhole(value: object): boolean {
  return (
    ArrayBuffer.isView(value) ||
    types.isAnyArrayBuffer(value) ||
    types.isDate(value) ||
    types.isRegExp(value) ||
    types.isNativeError(value) ||
    value instanceof Error ||
    types.isPromise(value) ||
    types.isBoxedPrimitive(value) ||
    types.isWeakMap(value) ||
    types.isWeakSet(value) ||
    types.isModuleNamespaceObject(value) ||
    types.isGeneratorObject(value) ||
    types.isMapIterator(value) ||
    types.isSetIterator(value) ||
    types.isArgumentsObject(value) ||
    types.isExternal(value)
  );
}

const isPrimitive = (value: unknown): boolean =>
  (typeof value !== 'object' && typeof value !== 'function') || value === null;

const sized = (name: string, size: number | undefined): string =>
  size === undefined ? name : `${name}(${size})`;

function listContent(value: readonly unknown[]): Content | undefined {
  const read = (limit: number): Pair[] => [
    ...items(value, limit),
    ...(value.length > limit ? [] : namedProperties(value))
  ];
  if (items(value, MAX_ITEMS).every(([, item]) => isWords(item) || isPrimitive(item))) return undefined;
  const name = classOf(value) || 'Array';
  const prefix = name === 'Array' ? '' : sized(name, value.length);
  return { prefix, brackets: ['[', ']'], name, noun: 'item', size: value.length, isInstance: false, read };
}

/** Reads the first items; holes become one entry. */
function items(value: readonly unknown[], limit: number): Pair[] {
  const found: Pair[] = [];
  let holes = 0;
  const close = (): void => {
    if (holes > 0)
      found.push([undefined, words(`<${holes} empty item${holes === 1 ? '' : 's'}>`, 'undefined')]);
    holes = 0;
  };
  for (let index = 0; index < Math.min(value.length, limit); index += 1) {
    const descriptor = Object.getOwnPropertyDescriptor(value, index);
    if (descriptor === undefined) {
      holes += 1;
      continue;
    }
    close();
    found.push([undefined, valueOf(descriptor)]);
  }
  close();
  return found;
}

const namedProperties = (value: readonly unknown[]): Pair[] =>
  Object.keys(value)
    .filter(key => !/^\d+$/.test(key))
    .map(key => [key, valueOf(Object.getOwnPropertyDescriptor(value, key)!)]);

function mapContent(value: Map<unknown, unknown>): Content | undefined {
  const read = (limit: number): Pair[] => [...Map.prototype.entries.call(value).take(limit)] as Pair[];
  if (read(MAX_ITEMS).every(pair => pair.every(isPrimitive))) return undefined;
  return { ...collected(value, 'Map', value.size), read, isMap: true };
}

function setContent(value: Set<unknown>): Content | undefined {
  const read = (limit: number): Pair[] =>
    [...Set.prototype.values.call(value).take(limit)].map(item => [undefined, item]);
  if (read(MAX_ITEMS).every(([, item]) => isPrimitive(item))) return undefined;
  return { ...collected(value, 'Set', value.size), read };
}

function collected(value: object, kind: string, size: number): Omit<Content, 'read'> {
  const name = classOf(value) || kind;
  const prefix = `${sized(name, size)}${name === kind ? '' : ` [${kind}]`}`;
  return {
    prefix,
    brackets: ['{', '}'],
    name,
    noun: kind === 'Map' ? 'entry' : 'item',
    size,
    isInstance: false
  };
}

function collectionContent({ name, kind, size, values }: LibraryCollection): Content | Leaf {
  const isList = kind === 'list';
  const isKeyed = kind === 'map' || kind === 'record';
  const read = (limit: number): unknown[] => [...Iterator.from(values).take(limit)];
  if (isList && size !== undefined) {
    const first = read(MAX_ITEMS);
    // The length states how many items were not read.
    if (size <= MAX_LENGTH) first.length = size;
    if (first.every(isPrimitive)) return { kind: 'leaf', value: first, prefix: sized(name, size) };
  }
  return {
    prefix: kind === 'record' ? name : sized(name, size),
    brackets: isList ? ['[', ']'] : ['{', '}'],
    name,
    noun: kind === 'record' ? 'property' : isKeyed ? 'entry' : 'item',
    size,
    isInstance: false,
    isMap: kind === 'map',
    read: limit => read(limit).map(item => (isKeyed ? (item as Pair) : [undefined, item]))
  };
}

function objectContent(value: object, isPlain: boolean): Content {
  const keys = Object.keys(value);
  const symbols = Object.getOwnPropertySymbols(value).filter(key =>
    Object.prototype.propertyIsEnumerable.call(value, key)
  );
  const size = keys.length + symbols.length;
  const name = isPlain ? 'Object' : classOf(value);
  const tag = tagOf(value);
  const isTagged = tag !== '' && tag !== name;
  const prefix = `${name === 'Object' && !isTagged ? '' : name}${isTagged ? ` [${tag}]` : ''}`;
  const read = (limit: number): Pair[] => {
    const shown = keys.slice(0, limit);
    return [...shown, ...symbols.slice(0, limit - shown.length)].flatMap((key): Pair[] => {
      const descriptor = Object.getOwnPropertyDescriptor(value, key);
      return descriptor === undefined ? [] : [[key, valueOf(descriptor)]];
    });
  };
  return { prefix, brackets: ['{', '}'], name, noun: 'property', size, isInstance: name !== 'Object', read };
}

/** Returns the value of a property, or the words for an accessor, which is not called. */
function valueOf({ get, set, value }: PropertyDescriptor): unknown {
  if (get === undefined && set === undefined) return value;
  return words(
    get === undefined ? '[Setter]' : set === undefined ? '[Getter]' : '[Getter/Setter]',
    'special'
  );
}

/** Returns the name of the class; empty if it has none. */
function classOf(value: object): string {
  for (
    let prototype: unknown = Object.getPrototypeOf(value);
    typeof prototype === 'object' && prototype !== null;
    prototype = Object.getPrototypeOf(prototype)
  ) {
    const made: unknown = Object.getOwnPropertyDescriptor(prototype, 'constructor')?.value;
    if (typeof made === 'function' && made.name !== '') return made.name;
  }
  return '';
}

function tagOf(value: object): string {
  if (Object.hasOwn(value, Symbol.toStringTag)) return '';
  const tag = attempt(() => (value as { [Symbol.toStringTag]?: unknown })[Symbol.toStringTag], '');
  return typeof tag === 'string' ? tag : '';
}
