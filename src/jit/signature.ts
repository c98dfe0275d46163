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
  ['int unsigned', one(UINT(4), 'uint32')],
  ['unsigned', one(UINT(4), 'uint32')],
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
  ['half', one(null, 'float16')],
  ['__half', one(null, 'float16')],
  ['__nv_bfloat16', one(null, 'bfloat16')],
  ['nv_bfloat16', one(null, 'bfloat16')],
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

function stripComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, comment => comment.replace(/[^\n]/g, ' '));
}

/** Splits at commas outside brackets of any kind. */
function splitParameters(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if ('(<[{'.includes(character)) depth++;
    else if (')>]}'.includes(character)) depth--;
    else if (character === ',' && depth === 0) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  parts.push(text.slice(start));
  return parts.map(part => part.trim()).filter(part => part !== '' && part !== 'void');
}

function typeOf(words: readonly string[]): CType {
  const bare = words
    .map(word => word.replace(/^(?:::)?(?:cuda::)?std::/, ''))
    .filter(word => !QUALIFIERS.has(word));
  const sized = bare.filter(word => !(word === 'int' && bare.some(other => /^(?:long|short)$/.test(other))));
  return (
    TYPES.get(
      [...sized]
        .filter(word => word !== 'signed' || sized.includes('char'))
        .sort()
        .join(' ')
    ) ?? UNKNOWN
  );
}

function parseParameter(declaration: string): KernelParameter {
  const text = declaration.replace(/\s*=[\s\S]*$/, '').replace(/\s+/g, ' ');
  const array = /\[[^\]]*\]$/.test(text);
  const named = /(\w+)\s*(?:\[[^\]]*\])*$/.exec(text)?.[1] ?? '';
  const last = text.lastIndexOf('*');
  if (last < 0 && !array) {
    const words = text
      .replace(/\s*<\s*/g, '<')
      .replace(/\s*>/g, '>')
      .split(' ');
    const typed = words.length > 1 ? words.slice(0, -1) : words;
    return { role: 'value', text, name: named, type: typeOf(typed).value };
  }
  const pointee = (last < 0 ? text.slice(0, text.lastIndexOf(named)) : text.slice(0, last)).trim();
  const words = pointee
    .replace(/\s*<\s*/g, '<')
    .replace(/\s*>/g, '>')
    .split(' ');
  const nested = pointee.includes('*');
  return {
    role: 'pointer',
    text,
    name: last < text.length - 1 ? named : '',
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

/** Parameters of each `__global__` function by its unqualified name; a template's own types are unknown types. */
export function parseSignatures(source: string): Map<string, readonly KernelParameter[]> {
  const text = stripComments(source);
  const found = new Map<string, readonly KernelParameter[]>();
  for (const { index } of text.matchAll(/\b__global__\b/g)) {
    const rest = text
      .slice(index)
      .replace(/__launch_bounds__\s*\([^)]*\)|__cluster_dims__\s*\([^)]*\)/g, whole =>
        ' '.repeat(whole.length)
      );
    const named = /\b(\w+)\s*\(/.exec(rest);
    if (named === null) continue;
    const list = insideBrackets(rest, named.index + named[0].length - 1);
    found.set(named[1] as string, splitParameters(list).map(parseParameter));
  }
  return found;
}
