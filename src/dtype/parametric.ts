/** Data types with a parameter: byte and character strings, opaque bytes, dates, vectors. Equal ones are the same object. Pure. */

import { DTypeError } from '../base/errors.ts';
import { dtypes, type DType, type DTypeName, type FixedDTypeName } from './dtype.ts';

/** The limit of cached types. A program has few; the limit guards against a stream of unusual descriptors. */
const MAX_KEPT = 4096;
const kept = new Map<string, DType>();

/** Returns the one object of `key`, created on first use. */
export function intern<N extends DTypeName>(key: string, make: () => DType<N>): DType<N> {
  const found = kept.get(key);
  if (found !== undefined) return found as DType<N>;
  const made = Object.freeze(make());
  if (kept.size >= MAX_KEPT) kept.clear();
  kept.set(key, made);
  return made;
}

/** Returns true for equal types, even if one was created by another copy of the package or before the cache was cleared. */
export function sameDType(a: DType, b: DType): boolean {
  return a === b || (a.name === b.name && JSON.stringify(a.descr) === JSON.stringify(b.descr));
}

const COMMON = { lanes: 1, dlpack: null, unit: null, fields: null, descr: null } as const;

/** The maximum size of an element, as in NumPy. */
export const MAX_ITEMSIZE = 2 ** 31 - 1;

/** Types with a count, by kind: the word in their names, and the size of one unit. */
const COUNTED = {
  S: { word: 'bytes', width: 1 },
  U: { word: 'str', width: 4 },
  V: { word: 'void', width: 1 }
} as const;

/** Returns the dtype of `n` bytes (S, rule 38), 4-byte characters (U, rule 39) or opaque bytes (V, rule 40). @throws DTypeError */
export function countedDType(kind: keyof typeof COUNTED, n: number): DType {
  const { word, width } = COUNTED[kind];
  const name = `${word}${n}` as const;
  const itemsize = n * width;
  if (!Number.isSafeInteger(itemsize) || itemsize < 1 || itemsize > MAX_ITEMSIZE)
    throw new DTypeError(`${name}: elements have ${itemsize} bytes, expected 1 to 2^31 - 1`);
  return intern(name, () => ({
    ...COMMON,
    name,
    kind,
    itemsize,
    bits: itemsize * 8,
    alignment: width,
    typestr: `${width === 1 ? '|' : '<'}${kind}${n}`
  }));
}

const UNIT = /^(?:|(?:[1-9]\d{0,9})?(?:Y|M|W|D|h|m|s|ms|us|ns|ps|fs|as))$/;

/** Returns the dtype of dates (`M`) or time differences (`m`): 64-bit counts of `unit` (rule 37). @throws DTypeError */
export function timeDType(kind: 'm' | 'M', unit: string): DType {
  if (!UNIT.test(unit))
    throw new DTypeError(
      `unit '${unit}' is not one of Y M W D h m s ms us ns ps fs as, with an optional multiplier (rule 37: units)`
    );
  const normal = unit.replace(/^1(?=\D)/, '');
  const suffix = normal === '' ? '' : `[${normal}]`;
  const name = `${kind === 'M' ? 'datetime64' : 'timedelta64'}${suffix}` as const;
  return intern(name, () => ({
    ...COMMON,
    name,
    kind,
    itemsize: 8,
    bits: 64,
    alignment: 8,
    typestr: `<${kind}8${suffix}`,
    unit: normal
  }));
}

/** Returns the vector of `lanes` elements (rule 123), packed low bits first (rule 128). @throws DTypeError if they do not fill whole bytes */
export function vectorDType(element: DType, lanes: number): DType {
  if (lanes === 1) return element;
  const { dlpack } = element;
  if (dlpack === null || element.lanes !== 1 || !Object.hasOwn(dtypes, element.name))
    throw new DTypeError(
      `${element.name} cannot be the element of a vector, expected bool or a type of numbers`
    );
  if (!Number.isInteger(lanes) || lanes < 2 || lanes > 0xffff || (lanes * element.bits) % 8 !== 0)
    throw new DTypeError(
      `a vector of ${lanes} lanes of ${element.bits} bits is not supported, expected 2 to 65535 lanes in whole bytes (rule 123: lanes)`
    );
  const name = `${element.name as FixedDTypeName}_x${lanes}` as const;
  return intern(name, () => ({
    ...COMMON,
    name,
    kind: element.kind,
    itemsize: (lanes * element.bits) / 8,
    bits: lanes * element.bits,
    alignment: element.alignment,
    lanes,
    typestr: null,
    dlpack: Object.freeze({ code: dlpack.code, bits: dlpack.bits, lanes })
  }));
}

/** Parses a dtype name with a parameter: `bytes5`, `str3`, `void8`, `datetime64[ns]`, `float32_x4`; undefined for other text. */
export function parametricByName(name: string): DType | undefined {
  const counted = /^(bytes|str|void)(\d{1,10})$/.exec(name);
  if (counted !== null) {
    const kind = { bytes: 'S', str: 'U', void: 'V' }[counted[1]!] as keyof typeof COUNTED;
    return countedDType(kind, Number(counted[2]));
  }
  const time = /^(datetime64|timedelta64)(?:\[(\w+)\])?$/.exec(name);
  if (time !== null) return timeDType(time[1] === 'datetime64' ? 'M' : 'm', time[2] ?? '');
  const vector = /^(\w+)_x(\d{1,5})$/.exec(name);
  if (vector !== null && Object.hasOwn(dtypes, vector[1]!))
    return vectorDType(dtypes[vector[1] as FixedDTypeName], Number(vector[2]));
  return undefined;
}
