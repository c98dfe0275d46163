/** Resolves a dtype from a name, a typestr, a `descr` or a dtype of another copy of the package. Pure. */

import { DTypeError } from '../base/errors.ts';
import { didYouMean } from '../base/did-you-mean.ts';
import { dtypes, type Descr, type DType, type DTypeLike, type FixedDTypeName } from './dtype.ts';
import { parametricByName, sameDType } from './parametric.ts';
import { parseDescr } from './record.ts';
import { parseAnyOrder, type Parsed } from './typestr.ts';
import { textOf } from '../base/value-text.ts';

/** Returns the dtype for a name (`float32`, `datetime64[ns]`, `float32_x4`), a typestr (`<f4`) or a dtype. @throws DTypeError with the reason */
export function toDType(value: DTypeLike): DType {
  if (typeof value === 'string') return byText(value);
  if (typeof value === 'object' && value !== null && typeof value.name === 'string') {
    if ((dtypes as Readonly<Record<string, DType>>)[value.name] === value) return value;
    // A dtype of another copy of the package, or a parametric one: its name or `descr` describes it fully.
    return Array.isArray(value.descr) ? recordDType(value.descr as Descr) : byText(value.name);
  }
  throw new DTypeError(
    `not a dtype: ${textOf(value)}; expected a name such as 'float32', a typestr such as '<f4', or for records recordDType(...)`
  );
}

/** Names of these types in other languages and libraries, for suggestions. */
const NAMES_ELSEWHERE = new Map<string, readonly FixedDTypeName[]>([
  ['float', ['float32', 'float64']],
  ['double', ['float64']],
  ['single', ['float32']],
  ['half', ['float16']],
  ['int', ['int64', 'int32']],
  ['integer', ['int64', 'int32']],
  ['long', ['int64']],
  ['bigint', ['int64']],
  ['short', ['int16']],
  ['byte', ['int8']],
  ['boolean', ['bool']],
  ['number', ['float64']],
  ['complex', ['complex64', 'complex128']],
  ['bf16', ['bfloat16']],
  ['fp8', ['float8_e4m3fn', 'float8_e5m2']]
]);
const KINDS: Readonly<Record<string, string>> = {
  f: 'float',
  fp: 'float',
  i: 'int',
  u: 'uint',
  c: 'complex'
};

/** Returns the dtype names that match a name of another library: `np.float32`, `f32`, `f4`, `double`. */
function namesFor(text: string): readonly string[] {
  const word = text.toLowerCase();
  const [, kind = '', bits = ''] = /^(fp|[fiuc])(\d+)$/.exec(word) ?? [];
  return Object.values(dtypes)
    .filter(
      ({ name, typestr }) => name === `${KINDS[kind]}${bits}` || typestr?.slice(1) === word || name === word
    )
    .map(({ name }) => name)
    .concat(NAMES_ELSEWHERE.get(word) ?? []);
}

function byText(text: string): DType {
  if (Object.hasOwn(dtypes, text)) return dtypes[text as FixedDTypeName];
  if (/^[<>|=]/.test(text)) return parseTypestr(text);
  const found = parametricByName(text);
  if (found !== undefined) return found;
  const names = Object.keys(dtypes);
  const word = text.replace(/^\w+\./, '');
  const guess = didYouMean(word, names, namesFor(word));
  throw new DTypeError(
    `unknown dtype '${text}'${guess}${guess === '' ? ': expected' : ' Expected'} a name (${names.join(', ')}) or a typestr such as '<f4'`
  );
}

/** Creates a structured dtype from its fields, written as in `descr` (rule 46: `descr` entries). @throws DTypeError */
export function recordDType(descr: Descr): DType {
  return native(parseDescr(descr), 'descr');
}

function native({ dtype, swaps }: Parsed, what: string): DType {
  if (swaps.length > 0)
    throw new DTypeError(
      `${what} is big-endian: swap the bytes in the producer, or import a copy with \`byteOrder: 'swap'\` (rule 42: byte order)`
    );
  return dtype;
}

/** Returns the dtype of a typestr and its `descr`, if any (rules 32 to 48). @throws DTypeError, also for big-endian data */
export function parseTypestr(typestr: string, descr?: unknown): DType {
  return native(parseElement(typestr, descr), `typestr '${typestr}'`);
}

/** Parses a typestr, with its `descr`, of either byte order. @throws DTypeError */
export function parseElement(typestr: string, descr?: unknown): Parsed {
  const element = parseAnyOrder(typestr);
  if (descr === undefined || descr === null || isDefault(descr, element)) return element;
  if (element.dtype.kind !== 'V')
    throw new DTypeError(
      `typestr '${typestr}' is not a structured type, but descr describes several fields: use '|V<bytes>' as typestr, or leave out descr (rule 48: contradictions)`
    );
  const record = parseDescr(descr);
  if (record.dtype.itemsize !== element.dtype.itemsize)
    throw new DTypeError(
      `descr has ${record.dtype.itemsize} bytes, but typestr '${typestr}' has ${element.dtype.itemsize} (rules 47, 48: equal sizes)`
    );
  return record;
}

/** Returns true for a single unnamed field of the typestr's type, which adds no information (rule 45). */
function isDefault(descr: unknown, element: Parsed): boolean {
  if (!Array.isArray(descr) || descr.length !== 1) return false;
  const entry: unknown = descr[0];
  if (!Array.isArray(entry) || entry.length !== 2 || entry[0] !== '' || typeof entry[1] !== 'string')
    return false;
  const { dtype, swaps } = parseAnyOrder(entry[1]);
  return sameDType(dtype, element.dtype) && swaps.length === element.swaps.length;
}
