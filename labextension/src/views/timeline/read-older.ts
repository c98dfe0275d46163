/** Reads again what a page had no room for. */

import type { Feed } from './feed.ts';
import type { Layout } from './layout.ts';
import type { Older } from './older.ts';
import type { Records } from './records.ts';

/** The number of the first record that begins in a part that a range touches; infinite without one. */
export function firstIn({ from, end, width, first }: Older, start: number, stop: number): number {
  if (start > end || stop < from) return Infinity;
  return Math.min(...first.slice(Math.max(0, Math.floor(start / width)), Math.floor(stop / width) + 1));
}

/** Asks for some of the records of a range of time that had to go; false where the kernel has none of them that are not here. */
export function readOlder(
  records: Records,
  { rows }: Layout,
  feed: Feed,
  [from, to]: readonly [number, number]
): boolean {
  const first = Math.min(...rows.map(({ row }) => firstIn(row.older, from, to)));
  let number = Math.max(first, feed.progress?.dropped ?? 0);
  while (records.slotOf(number) !== undefined) number += 1;
  const has = number < records.summed;
  if (has) void feed.read(number);
  return has || first === Infinity;
}
