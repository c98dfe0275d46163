/** Displays that are still rendering: their cell ends after them. */

import { currentCell } from '../context/cell-context.ts';

const pending = new Map<string, Set<Promise<unknown>>>();

/** Delays the end of the cell until `work` settles. `work` must not reject. */
export function holdCell(work: Promise<unknown>): void {
  const cell = currentCell();
  const works = pending.get(cell) ?? new Set();
  pending.set(cell, works.add(work));
  void work.then(() => {
    works.delete(work);
    if (works.size === 0 && pending.get(cell) === works) pending.delete(cell);
  });
}

export async function displaysSettled(cell: string): Promise<void> {
  for (let works = pending.get(cell); works !== undefined; works = pending.get(cell))
    await Promise.all(works);
}
