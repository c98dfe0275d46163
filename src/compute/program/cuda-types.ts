/** How generated CUDA C++ writes element types: as they are stored, and as registers hold them. Pure. */

import { dtypes, type SmallDTypeName } from '../../dtype/dtype.ts';
import { SMALL_FORMATS } from '../../dtype/small-floats.ts';
import type { ElementTypeName } from './element-types.ts';

/** The arguments of `fromByte` and `toByte` in the prelude for a float of 8 bits: its bits, its bias, and what its top codes mean. */
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

/** The C++ type of an element in memory; small floats are their codes. */
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

/** A stored value as a register. */
export function decode(type: ElementTypeName, stored: string): string {
  if (type === 'float16') return `fromHalf(${stored})`;
  if (type === 'bfloat16') return `fromBfloat(${stored})`;
  const format = formatArguments(type);
  if (format !== undefined) return `fromByte<${format}>(${stored})`;
  return type === 'bool' ? `(${stored} != 0)` : stored;
}

/** A register as a stored value; of small floats it is rounded, once also from double. */
export function encode(type: ElementTypeName, register: string): string {
  if (type === 'float16') return `toHalf(${register})`;
  if (type === 'bfloat16') return `toBfloat(${register})`;
  const format = formatArguments(type);
  return format === undefined ? register : `toByte<${format}>(${register})`;
}

/** What a register of a small float holds after an instruction: a value of the type. */
export function round(type: ElementTypeName, register: string): string {
  return isSmallFloat(type) ? decode(type, encode(type, register)) : register;
}
