/**
 * Data types: the array API's names, the CAI typestr and the DLPack triple of each. Pure; the page uses it too.
 * Sources: CAI v3 `typestr` (rules 32 to 44), dlpack.h DLDataTypeCode (rules 125, 126).
 */

import { DTypeError } from '../errors.ts';

export type DTypeName =
  | 'bool'
  | 'int8'
  | 'int16'
  | 'int32'
  | 'int64'
  | 'uint8'
  | 'uint16'
  | 'uint32'
  | 'uint64'
  | 'float16'
  | 'float32'
  | 'float64'
  | 'complex64'
  | 'complex128';

/** Kind character of a typestr: boolean, signed, unsigned, floating, complex. */
export type DTypeKind = 'b' | 'i' | 'u' | 'f' | 'c';

/** DLDataType of dlpack.h; `bits` counts one lane, for complex both halves. */
export interface DLDataType {
  readonly code: number;
  readonly bits: number;
  readonly lanes: number;
}

export interface DType<N extends DTypeName = DTypeName> {
  readonly name: N;
  readonly kind: DTypeKind;
  /** Bytes an element. */
  readonly itemsize: number;
  /** Little-endian, with `|` where byte order has no meaning (rule 43). */
  readonly typestr: string;
  readonly dlpack: DLDataType;
}

/** DLDataTypeCode of each kind (rule 125). */
const DLPACK_CODE: Readonly<Record<DTypeKind, number>> = { i: 0, u: 1, f: 2, c: 5, b: 6 };

function define<N extends DTypeName>(name: N, kind: DTypeKind, itemsize: number): DType<N> {
  const order = itemsize === 1 ? '|' : '<';
  return Object.freeze({
    name,
    kind,
    itemsize,
    typestr: `${order}${kind}${itemsize}`,
    dlpack: Object.freeze({ code: DLPACK_CODE[kind], bits: itemsize * 8, lanes: 1 })
  });
}

/** Every dtype by its array API name. */
export const dtypes: { readonly [N in DTypeName]: DType<N> } = Object.freeze({
  bool: define('bool', 'b', 1),
  int8: define('int8', 'i', 1),
  int16: define('int16', 'i', 2),
  int32: define('int32', 'i', 4),
  int64: define('int64', 'i', 8),
  uint8: define('uint8', 'u', 1),
  uint16: define('uint16', 'u', 2),
  uint32: define('uint32', 'u', 4),
  uint64: define('uint64', 'u', 8),
  float16: define('float16', 'f', 2),
  float32: define('float32', 'f', 4),
  float64: define('float64', 'f', 8),
  complex64: define('complex64', 'c', 8),
  complex128: define('complex128', 'c', 16)
});

const BY_TYPESTR: ReadonlyMap<string, DType> = new Map(
  Object.values<DType>(dtypes).map(dtype => [dtype.typestr, dtype])
);

export type DTypeLike = DType | DTypeName | (string & {});

/** The name that a `DTypeLike` stands for, as far as its type tells. */
export type NameOf<L> = L extends DType<infer N> ? N : L extends DTypeName ? L : DTypeName;

const KIND_REFUSALS: Readonly<Record<string, string>> = {
  t: 'bit fields have no device representation (rule 41)',
  O: 'object pointers can never be device data (rule 41)',
  S: 'byte strings are not supported yet',
  U: 'character strings are not supported yet',
  V: 'opaque and record types are not supported yet',
  m: 'time differences are not supported yet',
  M: 'dates are not supported yet'
};

/**
 * The dtype for an array API name (`float32`), a typestr (`<f4`) or a dtype.
 * @throws DTypeError naming the value, and the reason where it is a typestr that is refused.
 */
export function toDType(value: DTypeLike): DType {
  if (typeof value === 'object' && value !== null) {
    if (dtypes[value.name] === value) return value;
    const copy = BY_TYPESTR.get(value.typestr);
    if (copy !== undefined) return copy; // from a second copy of the package
  }
  if (typeof value !== 'string')
    throw new DTypeError(`not a dtype: a value of type ${value === null ? 'null' : typeof value}`);
  if (Object.hasOwn(dtypes, value)) return dtypes[value as DTypeName];
  return parseTypestr(value);
}

/**
 * The dtype of a CAI typestr: byte order, kind, bytes (rules 32 to 43).
 * @throws DTypeError
 */
export function parseTypestr(typestr: string): DType {
  const found = BY_TYPESTR.get(typestr);
  if (found !== undefined) return found;
  const match = /^([<>|=])([A-Za-z])(\d+)(\[[^\]]*\])?$/.exec(typestr);
  if (match === null) {
    throw new DTypeError(
      `unknown dtype '${typestr}': expected an array API name (${Object.keys(dtypes).join(', ')}) or a typestr such as '<f4'`
    );
  }
  const [, order, kind, digits] = match as unknown as [string, string, string, string];
  const refusal = KIND_REFUSALS[kind];
  if (refusal !== undefined) throw new DTypeError(`typestr '${typestr}': ${refusal}`);
  if (order === '=')
    throw new DTypeError(`typestr '${typestr}': '=' is not part of the interface, use '<' (rule 32)`);
  const native = BY_TYPESTR.get(`<${kind}${digits}`) ?? BY_TYPESTR.get(`|${kind}${digits}`);
  if (native === undefined) {
    throw new DTypeError(`typestr '${typestr}': no device type of kind '${kind}' has ${digits} bytes`);
  }
  if (native.itemsize === 1) return native; // byte order of one byte is meaningless; '<u1' is seen in the wild
  if (order === '>') {
    throw new DTypeError(
      `typestr '${typestr}': big-endian data must be byte-swapped by its producer first (rule 42)`
    );
  }
  throw new DTypeError(
    `typestr '${typestr}': '|' says that byte order has no meaning, but it has ${digits} bytes (rule 34)`
  );
}
