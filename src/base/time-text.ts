/** Times as people read them, in every picture, text and message. Microseconds everywhere. Pure: pages load it. */

const UNITS = [
  ['ns', 0.001],
  ['µs', 1],
  ['ms', 1000],
  ['s', 1_000_000]
] as const;

/** The unit that suits a time, and its length. */
export function unitFor(time: number): (typeof UNITS)[number] {
  return UNITS.findLast(([, size]) => time >= size) ?? UNITS[0];
}

/** A duration with four digits at most: `0 ns`, `812.4 µs`, `2.592 ms`; from a minute on `12 min 5 s`. */
export function formatDuration(time: number): string {
  const seconds = Math.floor(time / 1_000_000);
  if (seconds >= 60) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const [unit, size] = unitFor(Math.abs(time));
  return `${Number((time / size).toPrecision(4))} ${unit}`;
}
