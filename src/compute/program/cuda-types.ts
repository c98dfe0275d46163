/** How generated CUDA C++ writes element types: as they are stored, and as registers hold them. Pure. */

import type { ElementTypeName } from './element-types.ts';

const STORED: Readonly<Record<ElementTypeName, string>> = {
  bool: 'u8',
  int8: 'i8',
  int16: 'i16',
  int32: 'i32',
  int64: 'i64',
  uint8: 'u8',
  uint16: 'u16',
  uint32: 'u32',
  uint64: 'u64',
  float16: 'u16',
  bfloat16: 'u16',
  float32: 'float',
  float64: 'double',
  complex64: 'Complex<float>',
  complex128: 'Complex<double>',
  float8_e3m4: 'u8',
  float8_e4m3: 'u8',
  float8_e4m3b11fnuz: 'u8',
  float8_e4m3fn: 'u8',
  float8_e4m3fnuz: 'u8',
  float8_e5m2: 'u8',
  float8_e5m2fnuz: 'u8',
  float8_e8m0fnu: 'u8'
};

/** Exponent bits, mantissa bits, bias, and what the format does with its top codes (see Special in the prelude). */
const FP8: Readonly<Partial<Record<ElementTypeName, string>>> = {
  float8_e3m4: '3, 4, 3, IEEE',
  float8_e4m3: '4, 3, 7, IEEE',
  float8_e4m3b11fnuz: '4, 3, 11, FNUZ',
  float8_e4m3fn: '4, 3, 7, FN',
  float8_e4m3fnuz: '4, 3, 8, FNUZ',
  float8_e5m2: '5, 2, 15, IEEE',
  float8_e5m2fnuz: '5, 2, 16, FNUZ',
  float8_e8m0fnu: '8, 0, 127, EXPONENT'
};

export function isSmallFloat(type: ElementTypeName): boolean {
  return type === 'float16' || type === 'bfloat16' || type in FP8;
}

export function storedType(type: ElementTypeName): string {
  return STORED[type];
}

export function registerTypeName(type: ElementTypeName): string {
  if (isSmallFloat(type)) return 'float';
  return type === 'bool' ? 'bool' : STORED[type];
}

/** A stored value as a register. */
export function decode(type: ElementTypeName, stored: string): string {
  if (type === 'float16') return `fromHalf(${stored})`;
  if (type === 'bfloat16') return `fromBfloat(${stored})`;
  if (type in FP8) return `fromByte<${FP8[type] as string}>(${stored})`;
  return type === 'bool' ? `(${stored} != 0)` : stored;
}

/** A register as a stored value; of small floats it is rounded, once also from double. */
export function encode(type: ElementTypeName, register: string): string {
  if (type === 'float16') return `toHalf(${register})`;
  if (type === 'bfloat16') return `toBfloat(${register})`;
  if (type in FP8) return `toByte<${FP8[type] as string}>(${register})`;
  return register;
}

/** What a register of a small float holds after an instruction: a value of the type. */
export function round(type: ElementTypeName, register: string): string {
  return isSmallFloat(type) ? decode(type, encode(type, register)) : register;
}
