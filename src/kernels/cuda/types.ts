/** Types and constants of CUDA C++. Pure. */

import { encodeSmallFloat } from '../../dtype/small-floats.ts';
import { deviceTable, isFloat, type ElementType, type ValueType } from '../program/types.ts';
import { LEVEL, primary, type Text } from './text.ts';

/** Types of values. */
export const TYPES = deviceTable<ValueType, string>({
  bool: 'bool',
  i32: 'int',
  u32: 'unsigned',
  i64: 'long long',
  u64: 'unsigned long long',
  f32: 'float',
  f64: 'double'
});

/** Types of elements in memory. A byte may hold more than 0 and 1, a bool may not. */
export const STORED = deviceTable<ElementType, string>({
  ...TYPES,
  bool: 'unsigned char',
  i8: 'signed char',
  u8: 'unsigned char',
  i16: 'short',
  u16: 'unsigned short',
  f16: 'unsigned short',
  bf16: 'unsigned short'
});

const SUFFIXES = deviceTable<ValueType, string>({
  bool: '',
  i32: '',
  u32: 'u',
  i64: 'll',
  u64: 'ull',
  f32: 'f',
  f64: ''
});

/** Writes a constant. */
export function constant(type: ValueType, value: number | bigint | boolean): Text {
  if (type === 'bool') return primary(value ? 'true' : 'false');
  if (isFloat(type)) return float(type, Number(value));
  const text = `${value}${SUFFIXES[type]}`;
  // The least value has no literal, because its digits alone are too large.
  if (type === 'i32' && Number(value) === -(2 ** 31)) return sum('-2147483647 - 1');
  if (type === 'i64' && BigInt(value) === -(2n ** 63n)) return sum('-9223372036854775807ll - 1');
  return signed(text);
}

const sum = (text: string): Text => ({ text, level: LEVEL.sum, unsigned: false });
const signed = (text: string): Text => ({
  ...primary(text),
  level: text.startsWith('-') ? LEVEL.unary : LEVEL.primary
});

function float(type: ValueType, value: number): Text {
  const wide = type === 'f64';
  if (Number.isNaN(value))
    return primary(wide ? '__longlong_as_double(0x7ff8000000000000ll)' : '__int_as_float(0x7fc00000)');
  const rounded = wide ? value : Math.fround(value);
  if (!Number.isFinite(rounded)) {
    const infinity = wide ? '__longlong_as_double(0x7ff0000000000000ll)' : '__int_as_float(0x7f800000)';
    return signed(rounded < 0 ? `-${infinity}` : infinity);
  }
  return signed(`${digits(rounded, wide)}${SUFFIXES[type]}`);
}

/** Returns the digits of a finite number, which mean this number and no other. */
function digits(value: number, wide: boolean): string {
  if (Object.is(value, -0)) return '-0.0';
  const text = String(wide ? value : shortest(value));
  return /[.e]/.test(text) ? text : `${text}.0`;
}

/** Returns the number of the fewest digits that is rounded to the float32, also by a compiler that rounds once. */
function shortest(value: number): number {
  for (let count = 1; count < 9; count++) {
    const short = Number(value.toPrecision(count));
    // Away from the middle between two float32, where rounding to float64 first would matter.
    if ([short, short * (1 - 1e-10), short * (1 + 1e-10)].every(each => Math.fround(each) === value))
      return short;
  }
  return Number(value.toPrecision(9));
}

function halfCode(value: number): number {
  const view = new DataView(new ArrayBuffer(2));
  view.setFloat16(0, value);
  return view.getUint16(0);
}

/** Writes an element of an initialiser, where functions cannot be called. */
export function stored(element: ElementType, value: number | bigint | boolean): string {
  if (element === 'f16') return String(halfCode(Number(value)));
  if (element === 'bf16') return String(encodeSmallFloat('bfloat16', Number(value))!);
  if (element !== 'f32' && element !== 'f64')
    return element in SUFFIXES && element !== 'bool'
      ? constant(element as ValueType, value).text
      : String(Number(value));
  const number = element === 'f32' ? Math.fround(Number(value)) : Number(value);
  if (Number.isFinite(number)) return constant(element, number).text;
  const [zero, one] = [constant(element, 0).text, constant(element, 1).text];
  if (Number.isNaN(number)) return `${zero} / ${zero}`;
  return `${number < 0 ? '-' : ''}${one} / ${zero}`;
}
