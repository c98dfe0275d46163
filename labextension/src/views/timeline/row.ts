/** The bars of one row, up to 100,000: searched and drawn in each frame. */

import { createOlder } from './older.ts';

export type Row = ReturnType<typeof createRow>;

export function createRow() {
  const slots: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const works: boolean[] = [];
  /** Over all bars up to each: the latest end, the latest end of work, and the busy time. */
  const reach: number[] = [];
  const workReach: number[] = [];
  const worked: number[] = [];
  const older = createOlder();
  let isOrdered = true;

  /** Finds the first index with a value greater than a time, in an ascending column. */
  const search = (column: readonly number[], time: number): number => {
    let [low, high] = [0, column.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const knownUntil = (time: number): number => {
    const last = search(starts, time) - 1;
    return last < 0 ? 0 : worked[last]! - Math.max(0, workReach[last]! - time);
  };
  return {
    older,
    /** Sorted by time once {@link settle} was called; the other columns likewise. */
    slots,
    starts,
    ends,
    /** Whether the bar is work; waits are not. */
    works,
    add(slot: number, start: number, end: number, isWork: boolean): void {
      isOrdered &&= !(start < starts.at(-1)!);
      slots.push(slot);
      starts.push(start);
      ends.push(end);
      works.push(isWork);
    },
    /** Sorts the added bars, as the methods below require. */
    settle(): void {
      if (!isOrdered) {
        const order = starts.map((_, index) => index).sort((a, b) => starts[a]! - starts[b]!);
        for (const column of [slots, starts, ends, works] as unknown[][])
          Object.assign(
            column,
            order.map(index => column[index])
          );
        reach.length = 0;
      }
      isOrdered = true;
      for (let index = reach.length; index < slots.length; index += 1) {
        const [end, before, sum] =
          index > 0
            ? [reach[index - 1]!, workReach[index - 1]!, worked[index - 1]!]
            : [-Infinity, -Infinity, 0];
        const own = works[index] ? ends[index]! : -Infinity;
        reach.push(Math.max(end, ends[index]!));
        workReach[index] = Math.max(before, own);
        worked[index] = sum + Math.max(0, own - Math.max(starts[index]!, before));
      }
    },
    /** Removes all bars; those with a record number from `numberOf` are added to the summary of evicted bars. */
    empty(numberOf: (slot: number) => number | undefined): void {
      for (const [index, slot] of slots.entries()) {
        const number = numberOf(slot);
        if (number !== undefined) older.add(number, starts[index]!, ends[index]!, works[index]!);
      }
      for (const column of [slots, starts, ends, works, reach, workReach, worked]) column.length = 0;
      isOrdered = true;
    },
    /** The earliest start and the latest end, including evicted bars. */
    begin: (): number => Math.min(older.from, starts[0] ?? Infinity),
    last: (): number => Math.max(older.end, reach.at(-1) ?? -Infinity),
    /** Returns the index of the first bar that ends after a time. */
    firstAfter: (time: number): number => search(reach, time),
    /** Returns the busy time up to a given time; evicted bars count as evenly spread within each part. */
    workedUntil(time: number): number {
      const { end } = older;
      // Bars that were read again are counted once.
      if (time <= end) return older.workedUntil(time);
      return older.workedUntil(end) + knownUntil(time) - knownUntil(end);
    }
  };
}
