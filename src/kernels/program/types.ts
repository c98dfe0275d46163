/** Number types of kernels: those of values in registers, and those of elements in memory. Pure. */

/** The type of a value on a device. */
type DeviceValueType = 'bool' | 'i32' | 'u32' | 'i64' | 'u64' | 'f32' | 'f64';

/** The type of a complex value. Only `cuda.map` has them: array operations compute them. */
export type ComplexType = 'c64' | 'c128';

/** The type of a value: what a variable or an expression of a kernel holds. */
export type ValueType = DeviceValueType | ComplexType;

/** The type of an element that kernels load and store. The narrow ones convert to a value type when loaded, and back when stored. */
type DeviceElementType = DeviceValueType | 'i8' | 'u8' | 'i16' | 'u16' | 'f16' | 'bf16';

/** 8-bit floats, by the names of their dtypes. As with complex numbers, only `cuda.map` has them. */
type Float8Type =
  | 'float8_e3m4'
  | 'float8_e4m3'
  | 'float8_e4m3b11fnuz'
  | 'float8_e4m3fn'
  | 'float8_e4m3fnuz'
  | 'float8_e5m2'
  | 'float8_e5m2fnuz'
  | 'float8_e8m0fnu';

/** The type of an element in memory. */
export type ElementType = DeviceElementType | ComplexType | Float8Type;

interface ElementRow {
  /** The dtype of arrays with such elements. */
  readonly dtype: string;
  readonly bytes: number;
  /** The type that a loaded element has. */
  readonly value: ValueType;
}

const DEVICE_ELEMENTS: Readonly<Record<DeviceElementType, ElementRow>> = {
  bool: { dtype: 'bool', bytes: 1, value: 'bool' },
  i8: { dtype: 'int8', bytes: 1, value: 'i32' },
  u8: { dtype: 'uint8', bytes: 1, value: 'u32' },
  i16: { dtype: 'int16', bytes: 2, value: 'i32' },
  u16: { dtype: 'uint16', bytes: 2, value: 'u32' },
  i32: { dtype: 'int32', bytes: 4, value: 'i32' },
  u32: { dtype: 'uint32', bytes: 4, value: 'u32' },
  i64: { dtype: 'int64', bytes: 8, value: 'i64' },
  u64: { dtype: 'uint64', bytes: 8, value: 'u64' },
  f16: { dtype: 'float16', bytes: 2, value: 'f32' },
  bf16: { dtype: 'bfloat16', bytes: 2, value: 'f32' },
  f32: { dtype: 'float32', bytes: 4, value: 'f32' },
  f64: { dtype: 'float64', bytes: 8, value: 'f64' }
};

const float8 = (dtype: Float8Type): ElementRow => ({ dtype, bytes: 1, value: 'f32' });

export const ELEMENTS: Readonly<Record<ElementType, ElementRow>> = {
  ...DEVICE_ELEMENTS,
  c64: { dtype: 'complex64', bytes: 8, value: 'c64' },
  c128: { dtype: 'complex128', bytes: 16, value: 'c128' },
  float8_e3m4: float8('float8_e3m4'),
  float8_e4m3: float8('float8_e4m3'),
  float8_e4m3b11fnuz: float8('float8_e4m3b11fnuz'),
  float8_e4m3fn: float8('float8_e4m3fn'),
  float8_e4m3fnuz: float8('float8_e4m3fnuz'),
  float8_e5m2: float8('float8_e5m2'),
  float8_e5m2fnuz: float8('float8_e5m2fnuz'),
  float8_e8m0fnu: float8('float8_e8m0fnu')
};

/** The types of values and elements on devices, by their numbers in native code (scripts/setup/native-tables.mjs). */
export const VALUE_TYPES: readonly ValueType[] = ['bool', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'];
export const ELEMENT_TYPES = Object.keys(DEVICE_ELEMENTS) as readonly ElementType[];

/** Makes a table for what runs programs on devices, where the types that only `cuda.map` has do not occur. */
export function deviceTable<Type extends ElementType, Row>(
  rows: Readonly<Record<Exclude<Type, ComplexType | Float8Type>, Row>>
): Readonly<Record<Type, Row>> {
  return rows as Readonly<Record<Type, Row>>;
}

export const isFloat = (type: ValueType): boolean => type === 'f32' || type === 'f64';
export const isComplex = (type: ElementType): type is ComplexType => type === 'c64' || type === 'c128';
export const isInteger = (type: ValueType): boolean => !isFloat(type) && !isComplex(type) && type !== 'bool';
export const isSigned = (type: ValueType): boolean => type === 'i32' || type === 'i64';
/** Returns true for the types whose values are bigints in JavaScript. */
export const isWide = (type: ValueType): boolean => type === 'i64' || type === 'u64';
/** Returns the type of the parts of a complex type. */
export const partOf = (type: ComplexType): ValueType => (type === 'c64' ? 'f32' : 'f64');
