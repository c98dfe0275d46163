/** Number types of kernels: those of values in registers, and those of elements in memory. Pure. */

/** The type of a value: what a variable or an expression of a kernel holds. */
export type ValueType = 'bool' | 'i32' | 'u32' | 'i64' | 'u64' | 'f32' | 'f64';

/** The type of an element in memory. The narrow ones convert to a value type when loaded, and back when stored. */
export type ElementType = ValueType | 'i8' | 'u8' | 'i16' | 'u16' | 'f16' | 'bf16';

interface ElementRow {
  /** The dtype of arrays with such elements. */
  readonly dtype: string;
  readonly bytes: number;
  /** The type that a loaded element has. */
  readonly value: ValueType;
}

export const ELEMENTS: Readonly<Record<ElementType, ElementRow>> = {
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

export const VALUE_TYPES: readonly ValueType[] = ['bool', 'i32', 'u32', 'i64', 'u64', 'f32', 'f64'];
export const ELEMENT_TYPES = Object.keys(ELEMENTS) as readonly ElementType[];

export const isFloat = (type: ValueType): boolean => type === 'f32' || type === 'f64';
export const isInteger = (type: ValueType): boolean => !isFloat(type) && type !== 'bool';
export const isSigned = (type: ValueType): boolean => type === 'i32' || type === 'i64';
/** Returns true for the types whose values are bigints in JavaScript. */
export const isWide = (type: ValueType): boolean => type === 'i64' || type === 'u64';
