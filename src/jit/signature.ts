/** The parameters of `__global__` functions, read from their source to check launches. Pure. */

import type { DTypeName } from '../dtype/dtype.ts';

/** A type that is passed by value: its size, and the conversion from JavaScript. */
export interface ValueType {
  readonly kind: 'int' | 'uint' | 'float' | 'bool' | 'complex';
  readonly bytes: number;
}

export interface PointerParameter {
  readonly role: 'pointer';
  /** The type as written in the source. */
  readonly text: string;
  readonly name: string;
  /** True for a pointer to const, through which the kernel only reads. */
  readonly readOnly: boolean;
  /** Dtypes of arrays that may be passed; null for any. */
  readonly dtypes: readonly DTypeName[] | null;
}

export interface ValueParameter {
  readonly role: 'value';
  readonly text: string;
  readonly name: string;
  /** Null for an unknown type, whose bytes are passed unchanged. */
  readonly type: ValueType | null;
}

/** One parameter of a kernel, as its source declares it. */
export type KernelParameter = PointerParameter | ValueParameter;

interface CType {
  readonly value: ValueType | null;
  readonly dtypes: readonly DTypeName[] | null;
}

/** By the words of a declaration, sorted; long and int count as one word each. */
const TYPES = new Map<string, CType>();

/** Adds C types with one conversion, and the dtypes of arrays that pointers to them accept; any if none is given. */
function declare(words: readonly string[], value: ValueType | null, ...dtypes: readonly DTypeName[]): void {
  for (const word of words) TYPES.set(word, { value, dtypes: dtypes.length > 0 ? dtypes : null });
}

declare(['void'], null);
declare(['bool'], { kind: 'bool', bytes: 1 }, 'bool');
declare(['char'], { kind: 'int', bytes: 1 });
declare(['char unsigned'], { kind: 'uint', bytes: 1 });
declare(['char signed', 'int8_t'], { kind: 'int', bytes: 1 }, 'int8');
declare(['short', 'int16_t'], { kind: 'int', bytes: 2 }, 'int16');
declare(['int', 'signed', 'int32_t'], { kind: 'int', bytes: 4 }, 'int32');
declare(['long', 'long long', 'int64_t', 'ptrdiff_t', 'intptr_t'], { kind: 'int', bytes: 8 }, 'int64');
declare(['uint8_t'], { kind: 'uint', bytes: 1 }, 'uint8', 'bool');
declare(['short unsigned', 'uint16_t'], { kind: 'uint', bytes: 2 }, 'uint16');
declare(['unsigned', 'uint32_t'], { kind: 'uint', bytes: 4 }, 'uint32');
declare(
  ['long unsigned', 'long long unsigned', 'uint64_t', 'size_t', 'uintptr_t'],
  { kind: 'uint', bytes: 8 },
  'uint64'
);
declare(['half', '__half'], { kind: 'float', bytes: 2 }, 'float16');
declare(['float'], { kind: 'float', bytes: 4 }, 'float32');
declare(['double'], { kind: 'float', bytes: 8 }, 'float64');
declare(['cuFloatComplex', 'cuComplex', 'complex<float>'], { kind: 'complex', bytes: 8 }, 'complex64');
declare(['cuDoubleComplex', 'complex<double>'], { kind: 'complex', bytes: 16 }, 'complex128');
declare(['float2'], { kind: 'complex', bytes: 8 }, 'complex64', 'float32');
declare(['double2'], { kind: 'complex', bytes: 16 }, 'complex128', 'float64');
declare(['float4'], null, 'float32');
declare(['int2', 'int4'], null, 'int32');
declare(['half2', '__half2'], null, 'float16');
declare(['__nv_bfloat16', 'nv_bfloat16', '__nv_bfloat162', 'nv_bfloat162'], null, 'bfloat16');
declare(['__nv_fp8_e4m3'], null, 'float8_e4m3fn');
declare(['__nv_fp8_e5m2'], null, 'float8_e5m2');

const UNKNOWN: CType = { value: null, dtypes: null };
const QUALIFIERS = new Set(
  'const volatile __restrict__ __restrict restrict __grid_constant__ struct'.split(' ')
);
/** A declaration that ends in one of these has no name. */
const TYPE_WORDS = new Set([...[...TYPES.keys()].flatMap(words => words.split(' ')), ...QUALIFIERS]);

/** Returns the source with comments and strings blanked, so that their text is not parsed as code. */
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
    const character = text[at]!;
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

/** Returns the words of a type; a template and its arguments are one word. */
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

/** Returns the text between the bracket at `open` and the one that closes it. */
function insideBrackets(text: string, open: number): string {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth++;
    if (text[at] === ')' && --depth === 0) return text.slice(open + 1, at);
  }
  return text.slice(open + 1);
}

/** Returns the name and the parameter list of the function that begins in `text`. */
function functionIn(text: string): { readonly name: string; readonly list: string } | undefined {
  const called = /\b(\w+)\s*(?:<[^;{}()]*>)?\s*\(/g;
  for (let found = called.exec(text); found !== null; found = called.exec(text)) {
    const list = insideBrackets(text, called.lastIndex - 1);
    const name = found[1]!;
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

/** Returns the parameters of each `__global__` function by its bare name, except names that different functions share. */
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
