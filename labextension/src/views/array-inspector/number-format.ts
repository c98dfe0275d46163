/** How the bytes of an element make its value: what each bit of a float means. */

export interface BitFields {
  readonly sign: string;
  readonly exponent: string;
  readonly mantissa: string;
  readonly bias: number;
}

type Widths = readonly [sign: number, exponent: number, mantissa: number, bias: number];

const WIDTHS: Readonly<Record<string, Widths>> = {
  float16: [1, 5, 10, 15],
  bfloat16: [1, 8, 7, 127],
  float32: [1, 8, 23, 127],
  float64: [1, 11, 52, 1023],
  float8_e8m0fnu: [0, 8, 0, 127]
};

/** Of the 8-bit formats their names tell: `float8_e4m3b11fnuz` has bias 11, `fnuz` alone one more than usual. */
function widthsOf(dtype: string): Widths | undefined {
  if (WIDTHS[dtype]) return WIDTHS[dtype];
  const [, exponent, mantissa, bias, fnuz] = /^float8_e(\d)m(\d)(?:b(\d+))?(fnuz)?/.exec(dtype) ?? [];
  if (exponent === undefined) return undefined;
  const usual = 2 ** (Number(exponent) - 1) - 1;
  return [1, Number(exponent), Number(mantissa), Number(bias ?? usual + (fnuz ? 1 : 0))];
}

/** A complex number is two floats, of which `byte` is in one. */
export function partOf(
  dtype: string,
  itemsize: number,
  byte: number
): readonly [name: string, start: number, size: number] {
  if (!dtype.startsWith('complex')) return [dtype, 0, itemsize];
  const size = itemsize / 2;
  return [`float${size * 8}`, byte < size ? 0 : size, size];
}

/** The bits of a little-endian float; undefined for other types. */
export function bitFields(dtype: string, bytes: readonly number[]): BitFields | undefined {
  const widths = widthsOf(dtype);
  if (!widths) return undefined;
  const bits = bytes
    .toReversed()
    .map(byte => byte.toString(2).padStart(8, '0'))
    .join('');
  const [sign, exponent, , bias] = widths;
  return {
    sign: bits.slice(0, sign),
    exponent: bits.slice(sign, sign + exponent),
    mantissa: bits.slice(sign + exponent),
    bias
  };
}
