/** The bars of one row, which 100,000 of them may stand in: searched and drawn in each frame. */

export interface Row {
  /** By the order of time, once {@link settle} was called; so are the others. */
  readonly slots: number[];
  readonly starts: number[];
  readonly ends: number[];
  /** Whether it is work, which waits are not. */
  readonly works: boolean[];
  add(slot: number, start: number, end: number, isWork: boolean): void;
  /** Puts in order what was added: the calls below know what is in order. */
  settle(): void;
  /** The latest end. */
  last(): number;
  /** The first bar that reaches beyond a time. */
  firstAfter(time: number): number;
  /** How long up to a time there was work. */
  workedUntil(time: number): number;
}

export function createRow(): Row {
  const slots: number[] = [];
  const starts: number[] = [];
  const ends: number[] = [];
  const works: boolean[] = [];
  /** Over all bars up to each: the latest end, that of work, and how long there was work. */
  const reach: number[] = [];
  const workReach: number[] = [];
  const worked: number[] = [];
  let isOrdered = true;

  /** The first index whose value is greater than a time, in a column that rises. */
  const search = (column: readonly number[], time: number): number => {
    let [low, high] = [0, column.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (column[middle]! > time) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  return {
    slots,
    starts,
    ends,
    works,
    add(slot, start, end, isWork) {
      isOrdered &&= !(start < starts.at(-1)!);
      slots.push(slot);
      starts.push(start);
      ends.push(end);
      works.push(isWork);
    },
    settle() {
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
    last: () => reach.at(-1) ?? -Infinity,
    firstAfter: time => search(reach, time),
    workedUntil(time) {
      const last = search(starts, time) - 1;
      return last < 0 ? 0 : worked[last]! - Math.max(0, workReach[last]! - time);
    }
  };
}
