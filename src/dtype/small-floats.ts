/** Values of bfloat16, fp8, fp6 and fp4. Pure. Sources: OCP FP8 and MX specifications; ml_dtypes for the `fnuz` formats. */

import type { SmallDTypeName } from './dtype.ts';

/** `ieee`: infinities and NaNs on the top exponent. `fn`: NaN only as all ones. `fnuz`: NaN in place of -0. `finite`: neither. `exponent`: powers of two, without a sign. */
type Special = 'ieee' | 'fn' | 'fnuz' | 'finite' | 'exponent';

interface Format {
  readonly exponentBits: number;
  readonly mantissaBits: number;
  readonly bias: number;
  readonly special: Special;
}

const format = (exponentBits: number, mantissaBits: number, bias: number, special: Special): Format => ({
  exponentBits,
  mantissaBits,
  bias,
  special
});

/** The floating formats below 16 bits. */
export const SMALL_FORMATS: Readonly<Partial<Record<SmallDTypeName, Format>>> = {
  float8_e3m4: format(3, 4, 3, 'ieee'),
  float8_e4m3: format(4, 3, 7, 'ieee'),
  float8_e4m3b11fnuz: format(4, 3, 11, 'fnuz'),
  float8_e4m3fn: format(4, 3, 7, 'fn'),
  float8_e4m3fnuz: format(4, 3, 8, 'fnuz'),
  float8_e5m2: format(5, 2, 15, 'ieee'),
  float8_e5m2fnuz: format(5, 2, 16, 'fnuz'),
  float8_e8m0fnu: format(8, 0, 127, 'exponent'),
  float6_e2m3fn: format(2, 3, 1, 'finite'),
  float6_e3m2fn: format(3, 2, 3, 'finite'),
  float4_e2m1fn: format(2, 1, 1, 'finite')
};

function decode(code: number, { exponentBits, mantissaBits, bias, special }: Format): number {
  if (special === 'exponent') return code === 0xff ? NaN : 2 ** (code - bias); // a power of two, no sign, no zero
  const mantissa = code & ((1 << mantissaBits) - 1);
  const exponent = (code >> mantissaBits) & ((1 << exponentBits) - 1);
  const negative = ((code >> (exponentBits + mantissaBits)) & 1) === 1;
  const topExponent = exponent === (1 << exponentBits) - 1;
  if (special === 'fnuz' && negative && exponent === 0 && mantissa === 0) return NaN;
  if (special === 'fn' && topExponent && mantissa === (1 << mantissaBits) - 1) return NaN;
  if (special === 'ieee' && topExponent) return mantissa !== 0 ? NaN : negative ? -Infinity : Infinity;
  const fraction = mantissa / 2 ** mantissaBits;
  const magnitude = exponent === 0 ? fraction * 2 ** (1 - bias) : (1 + fraction) * 2 ** (exponent - bias);
  return negative ? -magnitude : magnitude;
}

interface Table {
  /** The value of each code. */
  readonly values: Float64Array;
  /** Finite codes of positive sign in ascending order of value; consecutive, because these formats order like integers. */
  readonly positive: readonly number[];
  readonly format: Format;
}

const tables = new Map<string, Table>();

function tableOf(name: string): Table | undefined {
  const known = tables.get(name);
  const found = SMALL_FORMATS[name as SmallDTypeName];
  if (known !== undefined || found === undefined) return known;
  const signBits = found.special === 'exponent' ? 0 : 1;
  const magnitudes = 1 << (found.exponentBits + found.mantissaBits);
  const values = Float64Array.from({ length: magnitudes << signBits }, (_, code) => decode(code, found));
  const positive = Array.from({ length: magnitudes }, (_, code) => code).filter(code =>
    Number.isFinite(values[code])
  );
  const table = { values, positive, format: found };
  tables.set(name, table);
  return table;
}

/** Returns the code of the nearest value, ties to even; beyond the largest: infinity, NaN or the largest, by format. */
function encode(
  value: number,
  { values, positive, format: { special, exponentBits, mantissaBits } }: Table
): number {
  const sign = special === 'exponent' ? 0 : 1 << (exponentBits + mantissaBits);
  const negative = value < 0 || Object.is(value, -0);
  const largest = positive.at(-1)!;
  const nan = special === 'fnuz' ? sign : special === 'finite' ? largest : values.findIndex(Number.isNaN);
  if (Number.isNaN(value) || (special === 'exponent' && negative)) return nan;
  const magnitude = Math.abs(value);
  let low = 0;
  let high = positive.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (values[positive[middle]!]! <= magnitude) low = middle;
    else high = middle - 1;
  }
  let code = positive[low]!;
  const below = values[code]!;
  if (code === largest) {
    // Values above half a step past the largest overflow; at exactly half, the even code wins.
    const step = below - values[code - 1]!;
    const middle = below + step / 2;
    if (magnitude > middle || (magnitude === middle && (code & 1) === 1)) {
      if (special === 'ieee') code = largest + 1;
      else if (special !== 'finite') return nan;
    }
  } else {
    const above = values[code + 1]!;
    const [toBelow, toAbove] = [magnitude - below, above - magnitude];
    if (toAbove < toBelow || (toAbove === toBelow && (code & 1) === 1)) code++;
  }
  if (!negative) return code;
  return special === 'fnuz' && code === 0 ? 0 : code | sign;
}

const bits = new DataView(new ArrayBuffer(4));

function toBfloat16(value: number): number {
  bits.setFloat32(0, value);
  const word = bits.getUint32(0);
  if (Number.isNaN(value)) return 0x7fc0;
  return ((word + 0x7fff + ((word >>> 16) & 1)) >>> 16) & 0xffff;
}

function fromBfloat16(code: number): number {
  bits.setUint32(0, code << 16);
  return bits.getFloat32(0);
}

/** Returns the value of a code; undefined for other types. */
export function decodeSmallFloat(name: string, code: number): number | undefined {
  if (name === 'bfloat16') return fromBfloat16(code);
  const table = tableOf(name);
  return table?.values[code % table.values.length]; // ignores the unused high bits of a padded element
}

/** Returns the code of the nearest value in the format; undefined for other types. */
export function encodeSmallFloat(name: string, value: number): number | undefined {
  if (name === 'bfloat16') return toBfloat16(value);
  const table = tableOf(name);
  return table && encode(value, table);
}
