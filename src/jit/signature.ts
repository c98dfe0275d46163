/** The parameters of `__global__` functions, read from their source: what a launch is checked against. Pure. */

import type { DTypeName } from '../dtype/dtype.ts';

/** A type by value: how many bytes and how a JavaScript value becomes them. */
export interface ValueType {
  readonly kind: 'int' | 'uint' | 'float' | 'bool' | 'complex';
  readonly bytes: number;
}

export interface PointerParameter {
  readonly role: 'pointer';
  /** As the source writes it. */
  readonly text: string;
  readonly name: string;
  /** True where the kernel promises only to read through it. */
  readonly readOnly: boolean;
  /** Dtypes of arrays that may be passed; null for any. */
  readonly dtypes: readonly DTypeName[] | null;
}

export interface ValueParameter {
  readonly role: 'value';
  readonly text: string;
  readonly name: string;
  /** Null for a type that is not known here, whose bytes are passed as they are. */
  readonly type: ValueType | null;
}

/** One parameter of a kernel, as its source declares it. */
export type KernelParameter = PointerParameter | ValueParameter;

const INT = (bytes: number): ValueType => ({ kind: 'int', bytes });
const UINT = (bytes: number): ValueType => ({ kind: 'uint', bytes });
const FLOAT = (bytes: number): ValueType => ({ kind: 'float', bytes });
const COMPLEX = (bytes: number): ValueType => ({ kind: 'complex', bytes });

interface CType {
  readonly value: ValueType | null;
  readonly dtypes: readonly DTypeName[] | null;
}

const one = (value: ValueType | null, ...dtypes: DTypeName[]): CType => ({ value, dtypes });

/** By the words of a declaration, sorted; long and int count as one word each. */
const TYPES: ReadonlyMap<string, CType> = new Map([
  ['bool', one({ kind: 'bool', bytes: 1 }, 'bool')],
  ['char', { value: INT(1), dtypes: null }],
  ['char signed', one(INT(1), 'int8')],
  ['char unsigned', { value: UINT(1), dtypes: null }],
  ['short', one(INT(2), 'int16')],
  ['short unsigned', one(UINT(2), 'uint16')],
  ['int', one(INT(4), 'int32')],
  ['unsigned', one(UINT(4), 'uint32')],
  ['signed', one(INT(4), 'int32')],
  ['long', one(INT(8), 'int64')],
  ['long unsigned', one(UINT(8), 'uint64')],
  ['long long', one(INT(8), 'int64')],
  ['long long unsigned', one(UINT(8), 'uint64')],
  ['float', one(FLOAT(4), 'float32')],
  ['double', one(FLOAT(8), 'float64')],
  ['int8_t', one(INT(1), 'int8')],
  ['int16_t', one(INT(2), 'int16')],
  ['int32_t', one(INT(4), 'int32')],
  ['int64_t', one(INT(8), 'int64')],
  ['uint8_t', one(UINT(1), 'uint8', 'bool')],
  ['uint16_t', one(UINT(2), 'uint16')],
  ['uint32_t', one(UINT(4), 'uint32')],
  ['uint64_t', one(UINT(8), 'uint64')],
  ['size_t', one(UINT(8), 'uint64')],
  ['ptrdiff_t', one(INT(8), 'int64')],
  ['intptr_t', one(INT(8), 'int64')],
  ['uintptr_t', one(UINT(8), 'uint64')],
  ['half', one(FLOAT(2), 'float16')],
  ['__half', one(FLOAT(2), 'float16')],
  ['half2', one(null, 'float16')],
  ['__half2', one(null, 'float16')],
  ['__nv_bfloat16', one(null, 'bfloat16')],
  ['nv_bfloat16', one(null, 'bfloat16')],
  ['__nv_bfloat162', one(null, 'bfloat16')],
  ['nv_bfloat162', one(null, 'bfloat16')],
  ['__nv_fp8_e4m3', one(null, 'float8_e4m3fn')],
  ['__nv_fp8_e5m2', one(null, 'float8_e5m2')],
  ['float2', one(COMPLEX(8), 'complex64', 'float32')],
  ['float4', one(null, 'float32')],
  ['double2', one(COMPLEX(16), 'complex128', 'float64')],
  ['int2', one(null, 'int32')],
  ['int4', one(null, 'int32')],
  ['cuFloatComplex', one(COMPLEX(8), 'complex64')],
  ['cuComplex', one(COMPLEX(8), 'complex64')],
  ['cuDoubleComplex', one(COMPLEX(16), 'complex128')],
  ['complex<float>', one(COMPLEX(8), 'complex64')],
  ['complex<double>', one(COMPLEX(16), 'complex128')],
  ['void', { value: null, dtypes: null }]
]);

const UNKNOWN: CType = { value: null, dtypes: null };
const QUALIFIERS = new Set([
  'const',
  'volatile',
  '__restrict__',
  '__restrict',
  'restrict',
  '__grid_constant__',
  'struct'
]);
/** A declaration that ends in one of these has no name. */
const TYPE_WORDS = new Set([...[...TYPES.keys()].flatMap(words => words.split(' ')), ...QUALIFIERS]);

/** The source with its comments and the inside of its strings blanked, so that what stands in them is not read as code. */
function stripComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*|"(?:\\.|[^"\\\n])*"/g, text =>
    text.replace(/[^\n]/g, ' ')
  );
}

/** Splits at commas outside brackets of any kind. */
function splitParameters(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  let inDefault = false; // where < and > compare and shift
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if ('([{'.includes(character) || (character === '<' && !inDefault)) depth++;
    else if (')]}'.includes(character) || (character === '>' && !inDefault)) depth--;
    else if (character === '=' && depth === 0) inDefault = true;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
      inDefault = false;
    }
  }
  parts.push(text.slice(start));
  return parts.map(part => part.trim()).filter(part => part !== '' && part !== 'void');
}

function typeOf(words: readonly string[]): CType {
  const bare = words
    .map(word => word.replace(/^(?:::)?(?:(?:cuda::)?std|thrust)::/, ''))
    .filter(word => !QUALIFIERS.has(word));
  const has = (word: string): boolean => bare.includes(word);
  const told = bare.filter(word => {
    if (word === 'int') return !has('long') && !has('short') && !has('unsigned');
    return word !== 'signed' || has('char') || bare.length === 1;
  });
  return TYPES.get(told.sort().join(' ')) ?? UNKNOWN;
}

/** The words of a type, with the arguments of a template in one. */
function wordsOf(text: string): string[] {
  return text
    .replace(/\s*<\s*/g, '<')
    .replace(/\s*>/g, '>')
    .trim()
    .split(' ');
}

function parseParameter(declaration: string): KernelParameter {
  const text = declaration
    .replace(/\s*=[\s\S]*$/, '')
    .replace(/\[\[[^\]]*\]\]/g, '')
    .replace(/\s+/g, ' ')
    .trim();
  const array = /\[[^\]]*\]$/.test(text);
  const named = /(\w+)\s*(?:\[[^\]]*\])*$/.exec(text)?.[1] ?? '';
  const name = TYPE_WORDS.has(named) ? '' : named;
  const last = text.lastIndexOf('*');
  if (last < 0 && !array) {
    const words = wordsOf(text);
    const typed = name !== '' && words.length > 1 ? words.slice(0, -1) : words;
    return { role: 'value', text, name, type: typeOf(typed).value };
  }
  const end = last >= 0 ? last : name === '' ? text.indexOf('[') : text.lastIndexOf(name);
  const pointee = text.slice(0, end).trim();
  const words = wordsOf(pointee);
  const nested = pointee.includes('*') || (array && last >= 0);
  return {
    role: 'pointer',
    text,
    name: last < text.length - 1 ? name : '',
    readOnly: !nested && words.includes('const'),
    dtypes: nested ? null : typeOf(words).dtypes
  };
}

/** The text between the bracket at `open` and the one that closes it. */
function insideBrackets(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(open + 1, at);
  }
  return text.slice(open + 1);
}

/** The name and the parameter list of the function that begins in `text`. */
function functionIn(text: string): { readonly name: string; readonly list: string } | undefined {
  const called = /\b(\w+)\s*(?:<[^;{}()]*>)?\s*\(/g;
  for (let found = called.exec(text); found !== null; found = called.exec(text)) {
    const list = insideBrackets(text, called.lastIndex - 1);
    const name = found[1] as string;
    if (!/^__\w+__$/.test(name)) return { name, list };
    called.lastIndex += list.length; // an attribute, such as __launch_bounds__(256)
  }
  return undefined;
}

function areAlike(one: readonly KernelParameter[], other: readonly KernelParameter[]): boolean {
  const essence = (parameters: readonly KernelParameter[]): string =>
    JSON.stringify(parameters.map(parameter => ({ ...parameter, text: '', name: '' })));
  return essence(one) === essence(other);
}

/**
 * Parameters of each `__global__` function by its unqualified name; a template's own types are unknown types. Functions of one
 * name with other parameters (overloads, two namespaces) cannot be told apart and are left out.
 */
export function parseSignatures(source: string): Map<string, readonly KernelParameter[]> {
  const text = stripComments(source);
  const found = new Map<string, readonly KernelParameter[]>();
  const ambiguous = new Set<string>();
  for (const { index } of text.matchAll(/\b__global__\b/g)) {
    const named = functionIn(text.slice(index));
    if (named === undefined) continue;
    const parameters = splitParameters(named.list).map(parseParameter);
    const known = found.get(named.name);
    if (known !== undefined && !areAlike(known, parameters)) ambiguous.add(named.name);
    found.set(named.name, parameters);
  }
  for (const name of ambiguous) found.delete(name);
  return found;
}
