/** Keyboard navigation between bars. */

import type { Pick, Scene } from './draw.ts';
import type { Row } from './row.ts';

/** Goes from bar to bar along a row, then along the next ones; `by` is -1 or 1. */
function* walk(rows: readonly Row[], at: number, place: number, by: number): Iterable<[Row, number]> {
  for (let row = rows[at]; row !== undefined; row = rows[at]) {
    for (; place >= 0 && place < row.slots.length; place += by) yield [row, place];
    at += by;
    place = by > 0 ? 0 : (rows[at]?.slots.length ?? 0) - 1;
  }
}

/**
 * Finds the bar `by` bars (-1 or 1) after the selected one in its row, then in the next row; with `rows` (-1 or 1) the nearest in time
 * in the row above or below; with both 0, or nothing selected, the first visible one. Skips filtered bars; undefined at the end.
 */
export function step(
  { records, layout, selected, matches, from, to }: Scene,
  rows: number,
  by: number
): Pick | undefined {
  const { columns } = records;
  const all = layout.rows.map(({ row }) => row);
  for (const row of all) row.settle();
  const passes = (row: Row, index: number): boolean => matches[columns.facts[row.slots[index]!]!] === 1;
  const pick = (row: Row, index: number): Pick => ({ number: columns.number[row.slots[index]!]!, row });

  const slot = records.slotOf(selected?.number);
  const chosen = selected?.row;
  // Prefer the work to its submission, unless a row was chosen.
  const at = all.findLastIndex(row => (chosen ?? row) === row && row.slots.includes(slot!));
  const current = all[at];
  if (current === undefined || (rows === 0 && by === 0)) {
    for (const row of all)
      for (let index = row.firstAfter(from); row.starts[index]! <= to; index += 1)
        if (passes(row, index)) return pick(row, index);
    return undefined;
  }
  const index = current.slots.indexOf(slot!);
  if (rows === 0) {
    for (const [row, place] of walk(all, at, index + by, by)) if (passes(row, place)) return pick(row, place);
    return undefined;
  }
  const away = (row: Row, place: number): number => Math.abs(row.starts[place]! - current.starts[index]!);
  for (let next = at + rows; all[next] !== undefined; next += rows) {
    const row = all[next]!;
    let nearest = -1;
    for (const place of row.slots.keys())
      if (passes(row, place) && (nearest < 0 || away(row, place) < away(row, nearest))) nearest = place;
    if (nearest >= 0) return pick(row, nearest);
  }
  return undefined;
}
