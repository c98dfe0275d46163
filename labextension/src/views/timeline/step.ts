/** Keyboard navigation between bars. */

import type { Pick, Scene } from './draw.ts';
import type { Row } from './row.ts';

const indexIn = ({ slots }: Row, slot: number): number => slots.indexOf(slot);

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
  const pick = (row: Row, index: number): Pick | undefined => {
    const slot = row.slots[index];
    return slot !== undefined && matches[columns.facts[slot]!]
      ? { number: columns.number[slot]!, row }
      : undefined;
  };
  const nearest = (row: Row, time: number): Pick | undefined => {
    let [found, distance] = [undefined as Pick | undefined, Infinity];
    for (let index = 0; index < row.slots.length; index += 1) {
      const away = Math.abs(row.starts[index]! - time);
      if (away < distance) found = pick(row, index) ?? found;
      if (found?.number === columns.number[row.slots[index]!]) distance = away;
    }
    return found;
  };
  for (const row of all) row.settle();
  const slot = records.slotOf(selected?.number);
  // Prefer the work to its submission, unless a row was chosen.
  const at =
    slot === undefined
      ? -1
      : all.findLastIndex(
          row => (selected?.row === undefined || selected.row === row) && indexIn(row, slot) >= 0
        );
  const current = all[at];
  if (slot === undefined || current === undefined || (rows === 0 && by === 0)) {
    for (const row of all)
      for (
        let index = row.firstAfter(from);
        index < row.slots.length && row.starts[index]! <= to;
        index += 1
      ) {
        const found = pick(row, index);
        if (found !== undefined) return found;
      }
    return undefined;
  }
  const index = indexIn(current, slot);
  if (rows !== 0) {
    for (let next = at + rows; all[next] !== undefined; next += rows) {
      const found = nearest(all[next]!, current.starts[index]!);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  for (let next = at, place = index + by; all[next] !== undefined;) {
    const row = all[next]!;
    for (; place >= 0 && place < row.slots.length; place += by) {
      const found = pick(row, place);
      if (found !== undefined) return found;
    }
    next += by;
    place = by > 0 ? 0 : (all[next]?.slots.length ?? 0) - 1;
  }
  return undefined;
}
