/** Writes element types in generated CUDA C++: as stored in memory and as held in registers. Pure. */

import { dtypes, type SmallDTypeName } from '../../dtype/dtype.ts';
import { SMALL_FORMATS } from '../../dtype/small-floats.ts';
import type { ElementTypeName } from './element-types.ts';

/** Returns the template arguments of `fromByte` and `toByte` for an 8-bit float: bits, bias, and the meaning of its top codes. */
function formatArguments(type: ElementTypeName): string | undefined {
  const format = SMALL_FORMATS[type as SmallDTypeName];
  if (format === undefined) return undefined;
  const { exponentBits, mantissaBits, bias, special } = format;
  return `${exponentBits}, ${mantissaBits}, ${bias}, ${special.toUpperCase()}`;
}

export function isSmallFloat(type: ElementTypeName): boolean {
  const { kind, bits } = dtypes[type];
  return kind === 'f' && bits < 32;
}

/** Returns the C++ type of an element in memory; small floats are stored as codes. */
export function storedType(type: ElementTypeName): string {
  const { kind, bits } = dtypes[type];
  if (kind === 'c') return bits === 64 ? 'Complex<float>' : 'Complex<double>';
  if (kind === 'f' && bits >= 32) return bits === 32 ? 'float' : 'double';
  return `${kind === 'i' ? 'i' : 'u'}${bits}`;
}

export function registerTypeName(type: ElementTypeName): string {
  if (isSmallFloat(type)) return 'float';
  return type === 'bool' ? 'bool' : storedType(type);
}

/** Converts a stored value to a register. */
export function decode(type: ElementTypeName, stored: string): string {
  if (type === 'float16') return `fromF16(${stored})`;
  if (type === 'bfloat16') return `fromBf16(${stored})`;
  const format = formatArguments(type);
  if (format !== undefined) return `fromByte<${format}>(${stored})`;
  return type === 'bool' ? `(${stored} != 0)` : stored;
}

/** Converts a register to a stored value; small floats are rounded once, also from double. */
export function encode(type: ElementTypeName, register: string): string {
  if (type === 'float16') return `toF16(${register})`;
  if (type === 'bfloat16') return `toBf16(${register})`;
  const format = formatArguments(type);
  return format === undefined ? register : `toByte<${format}>(${register})`;
}

/** Rounds a register to the precision of a small float, after each instruction. */
export function round(type: ElementTypeName, register: string): string {
  return isSmallFloat(type) ? decode(type, encode(type, register)) : register;
}
