/** Formats an array's numbers alike, as NumPy does: at most eight digits, with aligned decimal points. Pure. */

import type { DType } from '../../dtype/dtype.ts';
import { readScalar, writeScalar } from '../../dtype/elements.ts';
import { hostArray } from '../../dtype/host-array.ts';

/** Digits after the decimal point. */
const PRECISION = 8;
/** Exponents are used from this size, below this size, and if values differ by more than this factor. */
const LARGE = 1e8;
const SMALL = 1e-4;
const WIDE = 1e3;

/** Formats the numbers in one common width. `alwaysSigned` writes `+` too. */
export function formatNumbers(numbers: readonly number[], dtype: DType, alwaysSigned = false): string[] {
  const finite = numbers.filter(Number.isFinite);
  const sizes = finite.filter(value => value !== 0).map(Math.abs);
  const [least, most] = [Math.min(...sizes), Math.max(...sizes)];
  const scientific = sizes.length > 0 && (most >= LARGE || least < SMALL || most / least > WIDE);
  const shortest = shortestDigits(dtype);
  const write = scientific ? exponential : positional;
  const digits = Math.max(0, ...finite.map(value => fractionOf(write(value, shortest)).length));
  const texts = numbers.map(value => {
    const sign = value < 0 || Object.is(value, -0) ? '-' : alwaysSigned ? '+' : '';
    const size = Math.abs(value);
    if (!Number.isFinite(value)) return `${sign}${size}`;
    // With an exponent all have equally many digits; without one, trailing zeros are dropped.
    return `${sign}${scientific ? withExponent(size, digits) : withPoint(positional(size, shortest), digits)}`;
  });
  const width = Math.max(0, ...exponentsOf(texts).map(exponent => exponent.length));
  return aligned(texts.map(text => withWideExponent(text, width)));
}

/** Formats one number, as NumPy prints it: `1.0`. */
export function formatNumber(value: number, dtype: DType): string {
  const text = Object.is(value, -0) ? '-0' : shortestDigits(dtype)(value);
  return Number.isInteger(value) && !text.includes('e') ? `${text}.0` : text;
}

const fractionOf = (text: string): string => /\.(\d+)/.exec(text)?.[1] ?? '';
const exponentsOf = (texts: readonly string[]): string[] =>
  texts.map(text => /e[+-](\d+)$/.exec(text)?.[1] ?? '');

function withPoint(text: string, digits: number): string {
  return `${text.replace(/\..*/, '')}.${fractionOf(text).padEnd(digits)}`;
}

function withExponent(value: number, digits: number): string {
  const text = value.toExponential(digits);
  return text.includes('.') ? text : text.replace('e', '.e');
}

/** Pads the exponent to at least two digits, and to the widest one. */
function withWideExponent(text: string, width: number): string {
  return text.replace(
    /e([+-])(\d+)$/,
    (_, sign: string, exponent: string) => `e${sign}${exponent.padStart(Math.max(2, width), '0')}`
  );
}

/** Right-aligns texts to the widest one. */
export function aligned(texts: readonly string[]): string[] {
  const width = texts.reduce((most, text) => Math.max(most, text.length), 0);
  return texts.map(text => text.padStart(width));
}

/** Returns the fewest digits that round-trip in the type: 0.1 for a float32, which is not the nearest float64 to 0.1. */
function shortestDigits(dtype: DType): (value: number) => string {
  // Numbers of at most eight bits have few digits anyway, and the shortest round-trip would print 450 for 448.
  if (dtype.name === 'float64' || dtype.name === 'complex128' || dtype.bits <= 8) return String;
  const narrow = dtype.kind === 'c' ? Math.fround : roundingTo(dtype);
  return value => {
    for (let digits = 1; digits < 17; digits++) {
      const text = value.toPrecision(digits);
      if (narrow(Number(text)) === value) return String(Number(text));
    }
    return String(value);
  };
}

function roundingTo(dtype: DType): (value: number) => number {
  const one = hostArray(dtype, 1);
  return value => {
    writeScalar(one, dtype, 0, value);
    return Number(readScalar(one, dtype, 0));
  };
}

function positional(value: number, shortest: (value: number) => string): string {
  const text = shortest(value);
  const digits = text.includes('e') ? Infinity : (text.split('.')[1]?.length ?? 0);
  return digits <= PRECISION ? text : withoutZeros(value.toFixed(PRECISION));
}

function exponential(value: number, shortest: (value: number) => string): string {
  const text = Number(shortest(value)).toExponential();
  const digits = text.replace(/e.*/, '').split('.')[1]?.length ?? 0;
  if (digits <= PRECISION) return text;
  const [mantissa = '', exponent = ''] = value.toExponential(PRECISION).split('e');
  return `${withoutZeros(mantissa)}e${exponent}`;
}

const withoutZeros = (text: string): string => text.replace(/\.?0+$/, '');
