/** Formats times, in microseconds, for every picture, text and message. Pure: the page uses it too. */

const UNITS = [
  ['ns', 0.001],
  ['µs', 1],
  ['ms', 1000],
  ['s', 1_000_000]
] as const;

/** Returns the unit that suits a time, and its length. */
export function unitFor(time: number): (typeof UNITS)[number] {
  return UNITS.findLast(([, size]) => time >= size) ?? UNITS[0];
}

/** Formats a duration with at most four digits: `0 ns`, `812.4 µs`, `2.592 ms`; from a minute on `12 min 5 s`. */
export function formatDuration(time: number): string {
  const seconds = Math.floor(time / 1_000_000);
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const [unit, size] = unitFor(Math.abs(time));
  return `${Number((time / size).toPrecision(4))} ${unit}`;
}
