/** Dates and time differences of arrays as text. Pure. */

/** NaT (not a time): the smallest 64-bit integer. */
const NAT = -(2n ** 63n);

/** Units in picoseconds, so that all are integers. */
const PICOSECONDS: Readonly<Record<string, bigint>> = {
  W: 604_800n * 10n ** 12n,
  D: 86_400n * 10n ** 12n,
  h: 3_600n * 10n ** 12n,
  m: 60n * 10n ** 12n,
  s: 10n ** 12n,
  ms: 10n ** 9n,
  us: 10n ** 6n,
  ns: 10n ** 3n,
  ps: 1n
};
/** Digits after the seconds. */
const DIGITS: Readonly<Record<string, number>> = { ms: 3, us: 6, ns: 9, ps: 12 };
/** Range of JavaScript dates, in milliseconds before and after 1970. */
const LAST_DATE = 8_640_000_000_000_000n;

/** Formats a date with its unit's precision, `2026-03-01T12:00`; the count of the unit if there is no such date. */
export function formatDate(count: bigint, unit: string): string {
  if (count === NAT) return 'NaT';
  const [, multiplier = '', name = ''] = /^(\d*)(\w*)$/.exec(unit) ?? [];
  const total = count * BigInt(multiplier === '' ? 1 : multiplier);
  if (name === 'Y') return String(1970n + total);
  if (name === 'M') {
    const year = 1970n + (total - modulo(total, 12n)) / 12n;
    return `${year}-${String(modulo(total, 12n) + 1n).padStart(2, '0')}`;
  }
  const step = PICOSECONDS[name];
  if (step === undefined) return String(count);
  const picoseconds = total * step;
  const rest = modulo(picoseconds, 10n ** 12n);
  const milliseconds = ((picoseconds - rest) / 10n ** 12n) * 1_000n;
  if (milliseconds > LAST_DATE || milliseconds < -LAST_DATE) return String(count);
  const text = new Date(Number(milliseconds)).toISOString();
  if (name === 'W' || name === 'D') return text.replace(/T.*/, '');
  if (name === 'h' || name === 'm')
    return text.replace(/:\d\d\.\d+Z$/, '').replace(/:\d\d$/, name === 'h' ? '' : '$&');
  const digits = DIGITS[name] ?? 0;
  const fraction = digits === 0 ? '' : `.${String(rest).padStart(12, '0').slice(0, digits)}`;
  return text.replace(/\.\d+Z$/, fraction);
}

/** Formats a time difference as a count of the unit, which the dtype names. */
export const formatTimeDifference = (count: bigint): string => (count === NAT ? 'NaT' : String(count));

const modulo = (value: bigint, by: bigint): bigint => ((value % by) + by) % by;
