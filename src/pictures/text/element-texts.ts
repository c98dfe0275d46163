/** Formats the elements of an array as texts that align in columns. Pure. */

import type { DType } from '../../dtype/dtype.ts';
import { formatScalar } from '../../dtype/elements.ts';
import type { Complex, Scalar } from '../../dtype/host-array.ts';
import { shorten } from '../../base/short-texts.ts';
import { formatDate, formatTimeDifference } from './date-text.ts';
import { aligned, formatNumber, formatNumbers } from './number-format.ts';

/** A masked element, as NumPy prints it. */
export const MASKED = '--';
/** Maximum characters of one element; structured elements and strings may be long. */
const LONGEST_TEXT = 60;

/** Formats elements; `null` is a masked one. */
export function elementTexts(elements: readonly (Scalar | null)[], dtype: DType): string[] {
  const valid = elements.filter(element => element !== null);
  const texts = validTexts(valid, dtype);
  let next = 0;
  const all = elements.map(element => (element === null ? MASKED : texts[next++]!));
  return isText(dtype) ? all : aligned(all);
}

/** Formats the element of a 0-D array. */
export function soleText(element: Scalar | null, dtype: DType): string {
  if (typeof element === 'number' && dtype.kind === 'f') return formatNumber(element, dtype);
  return elementTexts([element], dtype)[0]!;
}

/** Returns true if elements of the dtype have no common width. */
const isText = ({ kind, lanes }: DType): boolean => lanes > 1 || 'SUV'.includes(kind);

function validTexts(elements: readonly Scalar[], dtype: DType): string[] {
  if (isText(dtype)) return elements.map(element => shorten(formatScalar(element), LONGEST_TEXT));
  switch (dtype.kind) {
    case 'f':
      return formatNumbers(elements as readonly number[], dtype);
    case 'c':
      return complexTexts(elements as readonly Complex[], dtype);
    case 'M':
      return elements.map(element => formatDate(element as bigint, dtype.unit ?? ''));
    case 'm':
      return elements.map(element => formatTimeDifference(element as bigint));
    default:
      return elements.map(String);
  }
}

function complexTexts(elements: readonly Complex[], dtype: DType): string[] {
  const parts = elements.map(({ re }) => re);
  const others = elements.map(({ im }) => im);
  const [real, imaginary] = [formatNumbers(parts, dtype), formatNumbers(others, dtype, true)];
  return elements.map((_, at) => {
    const part = imaginary[at]!;
    const digits = part.trimEnd();
    return `${real[at]}${digits}j${part.slice(digits.length)}`;
  });
}
