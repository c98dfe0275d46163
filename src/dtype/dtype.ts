/** Data types. Pure: the page uses it too. Sources: CAI v3 `typestr` and `descr` (rules 32 to 48), dlpack.h DLDataTypeCode (rules 125 to 129). */

/** Types that have a typed array; complex types use pairs of its elements. */
export type CoreDTypeName =
  'bool' | `${'int' | 'uint'}${8 | 16 | 32 | 64}` | `float${16 | 32 | 64}` | `complex${64 | 128}`;

/** Machine-learning types: CAI has no typestr for them (rule 44), DLPack has codes (rules 127, 129). */
export type SmallDTypeName =
  | 'bfloat16'
  | `float8_${'e3m4' | 'e4m3' | 'e4m3b11fnuz' | 'e4m3fn' | 'e4m3fnuz' | 'e5m2' | 'e5m2fnuz' | 'e8m0fnu'}`
  | `float6_${'e2m3fn' | 'e3m2fn'}`
  | 'float4_e2m1fn'
  | 'int4'
  | 'uint4';

export type FixedDTypeName = CoreDTypeName | SmallDTypeName;

/**
 * Types with a parameter. `bytesN` and `voidN` count bytes, `strN` characters of 4 bytes, `datetime64[25us]` names a unit with an
 * optional multiplier, `_xN` is a vector of N lanes (rule 123), a record names its fields.
 */
export type ParametricDTypeName =
  | `bytes${number}`
  | `str${number}`
  | `void${number}`
  | `datetime64${string}`
  | `timedelta64${string}`
  | `${FixedDTypeName}_x${number}`
  | `record${string}`;

/** The name of a dtype. */
export type DTypeName = FixedDTypeName | ParametricDTypeName;

/** Types that have no typestr (rule 44). */
export type UntypedDTypeName = SmallDTypeName | `${FixedDTypeName}_x${number}`;

/** The kind character of a typestr; types without a typestr have that of their numbers: `b` is boolean, `m` a time difference, `V` opaque or record. */
export type DTypeKind = 'b' | 'i' | 'u' | 'f' | 'c' | 'm' | 'M' | 'S' | 'U' | 'V';

/** The DLDataType of dlpack.h. */
export interface DLDataType {
  /** The type code of dlpack.h, for example 2 for floats. */
  readonly code: number;
  /** Bits of one lane; for complex types, of both parts together. */
  readonly bits: number;
  /** The number of lanes; 1 except for vector types. */
  readonly lanes: number;
}

/** One entry of `descr` in the interface: name (or title and name), typestr or nested entries, shape of a sub-array. */
export type DescrEntry =
  | readonly [name: FieldName, type: string | Descr]
  | readonly [name: FieldName, type: string | Descr, shape: readonly number[]];
export type FieldName = string | readonly [title: string, name: string];
/** The `descr` of a structured dtype: a list of its fields, padding included, in NumPy's form. */
export type Descr = readonly DescrEntry[];

/** A field of a structured dtype. Padding is not listed; it shows in the offsets. */
export interface Field {
  /** The name by which the field is read. */
  readonly name: string;
  /** NumPy's optional second name of a field; null if there is none. */
  readonly title: string | null;
  /** The element type of the field. */
  readonly dtype: DType;
  /** Bytes from the start of the structured element to the field. */
  readonly offset: number;
  /** The shape of a sub-array; empty for a single element. */
  readonly shape: readonly number[];
}

/** An element type: its size, its alignment and its names in the interchange protocols. */
export interface DType<N extends DTypeName = DTypeName> {
  /** The name, from the array API standard if it has one, for example `float32` or `datetime64[ns]`. */
  readonly name: N;
  /** NumPy's kind character, for example `f` for floats and `V` for structured and opaque types. */
  readonly kind: DTypeKind;
  /** The size of an element in an array, in bytes: at least one. The packed form of smaller types is a vector type (`int4_x2`). */
  readonly itemsize: number;
  /** The bits that carry the value: below 8 for sub-byte types, otherwise eight times `itemsize`. */
  readonly bits: number;
  /** The alignment in bytes that typed loads require of an element's address (rule 64: alignment). */
  readonly alignment: number;
  /** The number of elements in a vector; 1 for other types. */
  readonly lanes: number;
  /** The typestr, little-endian, with `|` if byte order does not matter (rule 43); null for types that have none (rule 44). */
  readonly typestr: string | null;
  /** The DLPack data type; null for dates, text, opaque bytes and structured dtypes, which DLPack cannot express (rule 131). */
  readonly dlpack: DLDataType | null;
  /** The unit of dates and time differences with its multiplier (`ns`, `25us`), empty for the generic unit; null for other kinds. */
  readonly unit: string | null;
  /** The fields of a structured dtype in order; null for other types. */
  readonly fields: readonly Field[] | null;
  /** The `descr` of a structured dtype, with its padding; null for other types, which do not need one (rule 45: the default `descr`). */
  readonly descr: Descr | null;
}

/** The DLDataTypeCode of each kind that supports every width (rule 125). */
const DLPACK_CODE = { i: 0, u: 1, f: 2, c: 5, b: 6 } as const;

type NumberKind = keyof typeof DLPACK_CODE;

/** Makes a dtype. `code` is the DLPack code of a type without a typestr (rule 44); by default that of the kind. */
function fixed<N extends FixedDTypeName>(name: N, kind: NumberKind, bits: number, code?: number): DType<N> {
  const itemsize = Math.ceil(bits / 8);
  return Object.freeze({
    name,
    kind,
    itemsize,
    bits,
    alignment: kind === 'c' ? itemsize / 2 : itemsize, // complex numbers are aligned like their parts
    lanes: 1,
    typestr: code === undefined ? `${itemsize === 1 ? '|' : '<'}${kind}${itemsize}` : null,
    dlpack: Object.freeze({ code: code ?? DLPACK_CODE[kind], bits, lanes: 1 }),
    unit: null,
    fields: null,
    descr: null
  });
}

/** All dtypes without parameters, by name. */
export const dtypes: { readonly [N in FixedDTypeName]: DType<N> } = Object.freeze({
  bool: fixed('bool', 'b', 8),
  int8: fixed('int8', 'i', 8),
  int16: fixed('int16', 'i', 16),
  int32: fixed('int32', 'i', 32),
  int64: fixed('int64', 'i', 64),
  uint8: fixed('uint8', 'u', 8),
  uint16: fixed('uint16', 'u', 16),
  uint32: fixed('uint32', 'u', 32),
  uint64: fixed('uint64', 'u', 64),
  float16: fixed('float16', 'f', 16),
  float32: fixed('float32', 'f', 32),
  float64: fixed('float64', 'f', 64),
  complex64: fixed('complex64', 'c', 64),
  complex128: fixed('complex128', 'c', 128),
  bfloat16: fixed('bfloat16', 'f', 16, 4),
  float8_e3m4: fixed('float8_e3m4', 'f', 8, 7),
  float8_e4m3: fixed('float8_e4m3', 'f', 8, 8),
  float8_e4m3b11fnuz: fixed('float8_e4m3b11fnuz', 'f', 8, 9),
  float8_e4m3fn: fixed('float8_e4m3fn', 'f', 8, 10),
  float8_e4m3fnuz: fixed('float8_e4m3fnuz', 'f', 8, 11),
  float8_e5m2: fixed('float8_e5m2', 'f', 8, 12),
  float8_e5m2fnuz: fixed('float8_e5m2fnuz', 'f', 8, 13),
  float8_e8m0fnu: fixed('float8_e8m0fnu', 'f', 8, 14),
  float6_e2m3fn: fixed('float6_e2m3fn', 'f', 6, 15),
  float6_e3m2fn: fixed('float6_e3m2fn', 'f', 6, 16),
  float4_e2m1fn: fixed('float4_e2m1fn', 'f', 4, 17),
  int4: fixed('int4', 'i', 4, 0),
  uint4: fixed('uint4', 'u', 4, 1)
});

/** Returns the least and the greatest value of an integer type. */
export function integerRange(type: {
  readonly kind: string;
  readonly bits: number;
}): readonly [bigint, bigint] {
  const values = 1n << BigInt(type.bits);
  return type.kind === 'u' ? [0n, values - 1n] : [-values / 2n, values / 2n - 1n];
}

/** A value accepted as a dtype: a dtype object, its name or a typestr. */
export type DTypeLike = DType | DTypeName | (string & {});

/** The dtype name of a `DTypeLike`, as far as TypeScript infers it. */
export type NameOf<L> = L extends DType<infer N> ? N : L extends DTypeName ? L : DTypeName;

/** Returns true for types smaller than a byte, whose elements share bytes when packed (rule 128). */
export const isSubByte = (dtype: DType): boolean => dtype.bits < 8;
