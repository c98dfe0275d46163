/** Keyboard navigation between bars. */

import type { Pick, Scene } from './draw.ts';
import type { LaidRow } from './layout.ts';

/** Goes from bar to bar along a row, then along the next ones; `by` is -1 or 1. */
function* walk(rows: readonly LaidRow[], at: number, place: number, by: number): Iterable<[LaidRow, number]> {
  for (let laid = rows[at]; laid !== undefined; laid = rows[at]) {
    for (; place >= 0 && place < laid.row.slots.length; place += by) yield [laid, place];
    at += by;
    place = by > 0 ? 0 : (rows[at]?.row.slots.length ?? 0) - 1;
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
  const all = layout.rows;
  for (const { row } of all) row.settle();
  const passes = ({ row }: LaidRow, index: number): boolean =>
    matches[columns.facts[row.slots[index]!]!] === 1;
  const pick = ({ row, key }: LaidRow, index: number): Pick => ({
    number: columns.number[row.slots[index]!]!,
    row: key
  });

  const slot = records.slotOf(selected?.number);
  const chosen = selected?.row;
  // Prefer the work to its submission, unless a row was chosen.
  const at = all.findLastIndex(({ key, row }) => (chosen ?? key) === key && row.slots.includes(slot!));
  const current = all[at]?.row;
  if (current === undefined || (rows === 0 && by === 0)) {
    for (const laid of all)
      for (let index = laid.row.firstAfter(from); laid.row.starts[index]! <= to; index += 1)
        if (passes(laid, index)) return pick(laid, index);
    return undefined;
  }
  const index = current.slots.indexOf(slot!);
  if (rows === 0) {
    for (const [laid, place] of walk(all, at, index + by, by))
      if (passes(laid, place)) return pick(laid, place);
    return undefined;
  }
  for (let next = at + rows; all[next] !== undefined; next += rows) {
    const laid = all[next]!;
    const away = (place: number): number => Math.abs(laid.row.starts[place]! - current.starts[index]!);
    let nearest = -1;
    for (const place of laid.row.slots.keys())
      if (passes(laid, place) && (nearest < 0 || away(place) < away(nearest))) nearest = place;
    if (nearest >= 0) return pick(laid, nearest);
  }
  return undefined;
}
