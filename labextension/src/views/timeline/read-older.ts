/** Reads evicted records again. */

import type { Feed } from './feed.ts';
import type { Layout } from './layout.ts';
import type { Older } from './older.ts';
import type { Records } from './records.ts';

/** Finds the number of the first record that begins in a part overlapping a range; infinite if there is none. */
export function firstIn({ from, end, width, first }: Older, start: number, stop: number): number {
  if (start > end || stop < from) return Infinity;
  return Math.min(...first.slice(Math.max(0, Math.floor(start / width)), Math.floor(stop / width) + 1));
}

/** Requests some of the evicted records of a time range; returns false if the kernel has none that are missing here. */
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
